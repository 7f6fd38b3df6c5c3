// Geometry: positions, normals and edges ready for the graphics card.

const CREASE = Math.cos((40 * Math.PI) / 180);
const MOST_EDGES = 60000;

// Triangles with normals: averaged at shared vertices, or one per face where the surface is flat.
function surface({ vertices, faces, smooth }) {
  const normals = new Float32Array(smooth ? vertices.length : 3 * faces.length);
  const out = smooth ? vertices : new Float32Array(3 * faces.length);
  const at = (i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [at(faces[f]), at(faces[f + 1]), at(faces[f + 2])];
    const n = cross(subtract(b, a), subtract(c, a));
    const flat = smooth ? n : unit(n);
    [a, b, c].forEach((p, k) => {
      const v = smooth ? faces[f + k] : f + k;
      for (let i = 0; i < 3; i++) {
        normals[3 * v + i] += flat[i];
        if (!smooth) out[3 * v + i] = p[i];
      }
    });
  }
  for (let v = 0; v < normals.length; v += 3) {
    const n = unit([normals[v], normals[v + 1], normals[v + 2]]);
    normals.set(n, v);
  }
  const indices = smooth ? faces : Uint32Array.from({ length: faces.length }, (_, i) => i);
  return { positions: out, normals, indices: Uint32Array.from(indices) };
}

// Pairs of points: all edges of the triangles, and those that are sharp or have one face only.
function edges({ vertices, faces }) {
  if (faces.length > 3 * MOST_EDGES) return { all: new Float32Array(0), sharp: new Float32Array(0) };
  const ids = new Map(), place = [];
  for (let v = 0; v < vertices.length; v += 3) {
    const key = `${vertices[v]},${vertices[v + 1]},${vertices[v + 2]}`;
    if (!ids.has(key)) ids.set(key, v / 3);
    place.push(ids.get(key));
  }
  const at = (i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
  const known = new Map();
  for (let f = 0; f < faces.length; f += 3) {
    const corner = [0, 1, 2].map((k) => place[faces[f + k]]);
    const n = unit(cross(subtract(at(corner[1]), at(corner[0])), subtract(at(corner[2]), at(corner[0]))));
    for (let k = 0; k < 3; k++) {
      const a = corner[k], b = corner[(k + 1) % 3];
      if (a === b) continue;
      const key = a < b ? a * 4294967 + b : b * 4294967 + a;
      const edge = known.get(key);
      if (edge) { edge.sharp = dot(edge.n, n) < CREASE; edge.faces += 1; }
      else known.set(key, { a, b, n, sharp: false, faces: 1 });
    }
  }
  const all = [], sharp = [];
  for (const edge of known.values()) {
    const line = [...at(edge.a), ...at(edge.b)];
    all.push(...line);
    if (edge.sharp || edge.faces === 1) sharp.push(...line);
  }
  return { all: new Float32Array(all), sharp: new Float32Array(sharp) };
}

// A round line of `radius` along points.
function tubeAlong(points, radius, around = 8) {
  const positions = [], normals = [], indices = [];
  let side = null;
  points.forEach((p, k) => {
    const before = points[Math.max(0, k - 1)], after = points[Math.min(points.length - 1, k + 1)];
    const t = unit(subtract(after, before));
    side = side ? unit(subtract(side, scaled(t, dot(side, t)))) : frameAbout(t)[0];
    const other = cross(t, side);
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around;
      const n = add(scaled(side, Math.cos(angle)), scaled(other, Math.sin(angle)));
      positions.push(...add(p, scaled(n, radius)));
      normals.push(...n);
      if (k) {
        const low = (k - 1) * around, high = k * around, j = (i + 1) % around;
        indices.push(low + i, low + j, high + j, low + i, high + j, high + i);
      }
    }
  });
  return {
    positions: new Float32Array(positions), normals: new Float32Array(normals), indices: new Uint32Array(indices),
  };
}

// A smooth way through points, with the times at which it gets there: Catmull and Rom's curve where the way bends,
// straight pieces where it goes straight, and where it turns so sharply that something must have been hit.
const BEND = 0.03, CORNER = 1.0, PIECES = 6;

function smoothWay(points, times) {
  const last = points.length - 1, out = points.slice(0, 1), when = times.slice(0, 1);
  const turn = (k) => {
    if (k < 1 || k >= last) return 0;
    const a = subtract(points[k], points[k - 1]), b = subtract(points[k + 1], points[k]);
    return Math.atan2(norm(cross(a, b)), dot(a, b));
  };
  for (let k = 0; k < last; k++) {
    const [p, q] = [points[k], points[k + 1]], bend = Math.max(turn(k), turn(k + 1));
    const before = points[Math.max(0, k - 1)], after = points[Math.min(last, k + 2)];
    const count = bend > BEND && bend < CORNER ? PIECES : 1;
    const m = scaled(subtract(q, before), k > 0 ? 0.5 : 1), n = scaled(subtract(after, p), k + 1 < last ? 0.5 : 1);
    for (let i = 1; i <= count; i++) {
      const s = i / count, a = s * s * (3 - 2 * s), b = s * (1 - s) * (1 - s), c = s * s * (s - 1);
      const at = count === 1 ? q : p.map((_, j) => p[j] + a * (q[j] - p[j]) + b * m[j] + c * n[j]);
      out.push(at);
      when.push(times[k] + s * (times[k + 1] - times[k]));
    }
  }
  return { points: out, times: when };
}

// The points of a wire, of a rope that sags where it is slack, or of a spring between a and b.
function linePoints(kind, a, b, length, radius, down) {
  const along = subtract(b, a), distance = norm(along);
  if (kind === "spring" && distance > 0) {
    const t = unit(along), [x, y] = frameAbout(t);
    const coils = clamp(Math.round((length || distance) / (3 * radius)), 4, 14), straight = 0.08;
    const count = coils * 14, points = [a];
    for (let i = 0; i <= count; i++) {
      const s = i / count, angle = 2 * Math.PI * coils * s;
      const reach = radius * Math.min(1, 8 * s, 8 * (1 - s));
      const p = add(a, scaled(along, straight + (1 - 2 * straight) * s));
      points.push(add(p, add(scaled(x, reach * Math.cos(angle)), scaled(y, reach * Math.sin(angle)))));
    }
    return [...points, b];
  }
  if (kind === "rope" && length > distance * 1.0001) {
    // A shallow arc of length L over the distance d sags by about sqrt(3 d (L - d) / 8); never more than L / 2.
    const sag = Math.min(Math.sqrt((3 * Math.max(distance, 0.2 * length) * (length - distance)) / 8), length / 2);
    return Array.from({ length: 17 }, (_, i) => {
      const s = i / 16;
      return add(mixed(a, b, s), scaled(down, 4 * sag * s * (1 - s)));
    });
  }
  return [a, b];
}

// An arrow of length 1 along z: its shaft has the radius `thin`, its head is `head` long.
function arrowMesh(thin, head) {
  const around = 16, profile = [[0, 0], [thin, 0], [thin, 0], [thin, 1 - head], [thin, 1 - head], [2.4 * thin, 1 - head],
    [2.4 * thin, 1 - head], [0, 1]];
  const vertices = [], faces = [];
  profile.forEach(([r, z], k) => {
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around;
      vertices.push(r * Math.cos(angle), r * Math.sin(angle), z);
      if (k) {
        const low = (k - 1) * around, high = k * around, j = (i + 1) % around;
        faces.push(low + i, low + j, high + j, low + i, high + j, high + i);
      }
    }
  });
  return surface({ vertices: new Float32Array(vertices), faces, smooth: true });
}
