/* `sixer trace` through the JavaScript package: the same action stream, the same rows, the same digest (docs/trace.md). */

const MASK = (1n << 64n) - 1n;

/** The generator of src/util/random.h. */
function generator(seed) {
  let state = BigInt(seed);
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
}

const table = Uint32Array.from({ length: 256 }, (_, i) => {
  let c = i;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
export function crc32(bytes, crc = 0) {
  let c = ~crc;
  for (let i = 0; i < bytes.length; i++) c = (c >>> 8) ^ table[(c ^ bytes[i]) & 255];
  return ~c >>> 0;
}
const hex = (n) => n.toString(16).padStart(8, "0");

/** Digest of a trace with `--columns rgb,gray,sound`. */
export function traceDigest(env, { steps, hold, every, saveRestore, actionSeed = 1 }) {
  const next = generator(actionSeed), actions = env.rom.legalActions;
  let current = -1, digest = 0;
  const draw = () => {
    const z = next();
    if (current < 0 || Number(z & 0xffffn) % hold === 0) current = actions[Number((z >> 32n) % BigInt(actions.length))];
    return current;
  };
  const encoder = new TextEncoder();
  for (let step = 1; step <= steps; step++) {
    if (saveRestore && step % saveRestore === 0) {
      const state = env.save({ controller: false, picture: false });
      for (let i = 0; i < 10; i++) env.step(draw());
      env.load(state);
    }
    const action = draw(), result = env.step(action);
    if (step % every === 0) {
      const s = env.status;
      const sums = [env.ram(), env.screen(), env.rgb(), env.gray(), env.sound()].map((bytes) => hex(crc32(bytes)));
      const row = [step, action, result.reward, result.lives, Number(result.over), Number(result.truncated), s.frames,
        s.episodeFrames, ...sums];
      digest = crc32(encoder.encode(`${row.join("\t")}\n`), digest);
    }
    if (result.over) env.reset();
  }
  return hex(digest);
}
