// Programs for the graphics card.  Light is computed in linear colour and encoded for the display at the end.

const VERTEX = `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
uniform mat4 model, camera;
out vec3 place, facing, local;
void main() {
  local = position;
  vec4 world = model * vec4(position, 1.0);
  place = world.xyz;
  facing = mat3(model) * normal;
  gl_Position = camera * world;
}`;

const DEPTH_FRAGMENT = `#version 300 es
precision mediump float;
void main() {}`;

const PICK_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 color;
in vec3 place, facing;
out vec4 pixel;
void main() { pixel = color; }`;

const SHADOW = `
uniform highp sampler2DShadow shadows;
uniform mat4 sun;
uniform float texel, depthBias;
const vec2 DISC[16] = vec2[](
  vec2(0.18, 0.00), vec2(-0.22, 0.20), vec2(0.04, -0.39), vec2(0.26, 0.39), vec2(-0.52, -0.09),
  vec2(0.50, -0.32), vec2(-0.16, 0.62), vec2(-0.33, -0.61), vec2(0.68, 0.25), vec2(-0.69, 0.35),
  vec2(0.30, -0.75), vec2(0.32, 0.78), vec2(-0.81, -0.35), vec2(0.89, -0.24), vec2(-0.48, 0.83), vec2(-0.20, -0.96));
float lit(vec3 at, vec3 n, float soft) {
  vec3 p = (sun * vec4(at + n * depthBias, 1.0)).xyz * 0.5 + 0.5;
  if (p.z >= 1.0 || any(lessThan(p.xy, vec2(0.0))) || any(greaterThan(p.xy, vec2(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 16; i++) sum += texture(shadows, vec3(p.xy + DISC[i] * texel * soft, p.z - 0.0008));
  return sum / 16.0;
}`;

const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, facing, local;
uniform vec4 color, mark;
uniform vec3 eye, toSun, skyLight, groundLight, sunLight;
uniform float glow;
out vec4 pixel;
${SHADOW}
// A round shape shows how it turns: every second octant of a ball, or quarter of a disc, is darker.
float marked() {
  vec3 p = local - mark.xyz;
  float f = mark.w < 1.5 ? p.x * p.y * p.z : mark.w < 2.5 ? p.y * p.z : mark.w < 3.5 ? p.x * p.z : p.x * p.y;
  return clamp(0.5 + f / max(fwidth(f), 1e-12), 0.0, 1.0);
}
void main() {
  vec3 n = normalize(facing), v = normalize(eye - place);
  if (dot(n, v) < 0.0) n = -n;
  vec3 base = pow(color.rgb, vec3(2.2));
  if (mark.w > 0.5) base *= 1.0 - 0.30 * marked();
  float direct = max(dot(n, toSun), 0.0);
  if (direct > 0.0) direct *= lit(place, n, 2.6);
  vec3 ambient = mix(groundLight, skyLight, 0.5 + 0.5 * n.z);
  vec3 h = normalize(toSun + v);
  float gloss = pow(max(dot(n, h), 0.0), 48.0) * direct;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  vec3 light = base * (ambient + sunLight * direct) + sunLight * 0.10 * gloss + skyLight * 0.10 * rim;
  light += base * glow + vec3(0.03 * glow);
  light = light / (1.0 + 0.12 * light);
  pixel = vec4(pow(light, vec3(1.0 / 2.2)), color.a);
}`;

const LINE_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 color;
in vec3 place, facing;
out vec4 pixel;
void main() { pixel = color; }`;

const SKY_VERTEX = `#version 300 es
out float height;
void main() {
  vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = 0.5 + 0.5 * p.y;
  gl_Position = vec4(p, 1.0, 1.0);
}`;

const SKY_FRAGMENT = `#version 300 es
precision highp float;
in float height;
uniform vec3 low, high;
out vec4 pixel;
void main() {
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  pixel = vec4(mix(low, high, smoothstep(0.0, 1.0, height)) + noise / 255.0, 1.0);
}`;

// The ground: lines at two spacings that thin out with distance, shadows, and darkness under what is near it.
const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, facing;
uniform vec3 eye, toSun, middle, base, lines, normal, sideX, sideY, origin;
uniform float spacing, near, far, strength, shade;
uniform highp sampler2D above;
uniform mat4 under;
uniform float underDepth, underSpread;
out vec4 pixel;
${SHADOW}
float grid(vec2 p) {
  vec2 w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / w;
  vec2 line = (1.0 - clamp(d - 0.35, 0.0, 1.0)) * (1.0 - smoothstep(0.15, 0.6, w));
  return max(line.x, line.y);
}
float covered(vec3 at) {
  if (underDepth <= 0.0) return 0.0;
  vec2 p = (under * vec4(at, 1.0)).xy * 0.5 + 0.5;
  float sum = 0.0, all = 0.0;
  // Another turn of the samples at every pixel leaves a fine grain in the place of rings.
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  for (int i = 0; i < 36; i++) {
    float r = sqrt((float(i) + 0.5) / 36.0), angle = 2.399963 * float(i) + turn;
    float weight = 1.05 - r * r;
    all += weight;
    vec2 q = p + underSpread * r * vec2(cos(angle), sin(angle));
    if (any(lessThan(q, vec2(0.0))) || any(greaterThan(q, vec2(1.0)))) continue;
    float height = textureLod(above, q, 0.0).r;
    float open = clamp(1.0 - height, 0.0, 1.0);
    sum += weight * open * open * open;
  }
  return sum / all;
}
void main() {
  vec2 p = vec2(dot(place - origin, sideX), dot(place - origin, sideY)) / spacing;
  float away = length(place - middle);
  float fade = 1.0 - smoothstep(near, far, away);
  if (fade <= 0.0) discard;
  float line = max(0.45 * grid(p), grid(p / 5.0));
  float sunny = lit(place, normal, 4.0);
  vec3 tone = mix(base, lines, 0.75 * line);
  tone *= 1.0 - shade * 0.42 * (1.0 - sunny) * max(dot(normal, toSun), 0.0);
  tone *= 1.0 - shade * 0.55 * covered(place);
  float side = dot(eye - origin, normal) > 0.0 ? 1.0 : 0.18;
  pixel = vec4(tone, fade * strength * side);
}`;
