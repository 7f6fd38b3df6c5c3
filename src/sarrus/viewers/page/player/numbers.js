// Vectors, rotations and matrices: arrays of numbers, 4x4 matrices column by column as WebGL takes them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const mixed = (a, b, s) => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])];

function unit(a) {
  const length = norm(a);
  return length > 0 ? scaled(a, 1 / length) : [0, 0, 1];
}

// Two unit vectors that make a right-handed frame with the unit vector z.
function frameAbout(z) {
  const least = [0, 1, 2].reduce((i, j) => (Math.abs(z[j]) < Math.abs(z[i]) ? j : i), 0);
  const e = [0, 0, 0];
  e[least] = 1;
  const x = unit(subtract(e, scaled(z, dot(e, z))));
  return [x, cross(z, x)];
}

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  return out;
}

// The matrix whose columns are x, y, z and the place p.
const columns = (x, y, z, p) =>
  new Float32Array([x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, p[0], p[1], p[2], 1]);

const IDENTITY = columns([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

// Writes the pose of position p and unit quaternion (w, x, y, z) into `out`.
function poseMatrix(out, px, py, pz, w, x, y, z) {
  out[0] = 1 - 2 * (y * y + z * z); out[1] = 2 * (x * y + w * z); out[2] = 2 * (x * z - w * y); out[3] = 0;
  out[4] = 2 * (x * y - w * z); out[5] = 1 - 2 * (x * x + z * z); out[6] = 2 * (y * z + w * x); out[7] = 0;
  out[8] = 2 * (x * z + w * y); out[9] = 2 * (y * z - w * x); out[10] = 1 - 2 * (x * x + y * y); out[11] = 0;
  out[12] = px; out[13] = py; out[14] = pz; out[15] = 1;
}

const transformed = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];

function perspective(fovy, aspect, near, far) {
  const f = 1 / Math.tan(fovy / 2), d = 1 / (near - far);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0]);
}

// Parallel projection of the box |x|, |y| <= half, near <= depth <= far.
function parallel(half, near, far) {
  const d = 1 / (near - far);
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 * d, 0, 0, 0, (near + far) * d, 1]);
}

// World to eye, for an eye that looks along `forward` with `up` upwards.
function lookAlong(eye, forward, up) {
  const z = scaled(unit(forward), -1), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

// The smallest of 1, 2, 5 times a power of ten that is not below x.
function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((k) => k * power).find((v) => v >= x * (1 - 1e-9));
}

// A number in few characters, for axes and labels.
function short(x, digits = 3) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(x.toPrecision(digits)));
}
