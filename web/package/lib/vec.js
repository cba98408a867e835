/* Vectors: many envs stepped together. */
import { giveConfig } from "./config.js";
import { Held, SixerError, asBytes, bytesAt, call, check, engine, failure, intsAt, make, numbers, takeBytes, whole,
  withBytes, withInts, withMemory } from "./engine.js";
import { Rom, takeStatus } from "./env.js";

export class Vec extends Held {
  #count;
  #info;
  #arrays; // of results, in the order of the engine's
  constructor(slots, count, config = {}) {
    super();
    let list = slots;
    if (slots instanceof Rom) {
      whole(count, "the number of envs");
      list = Array.from({ length: count }, () => ({ rom: slots }));
    }
    if (!Array.isArray(list) || !list.every((s) => s && s.rom instanceof Rom))
      throw new SixerError("argument", "the first argument of new Vec() must be a Rom or an array of { rom, mode, difficulty }");
    if (count !== undefined && count !== list.length)
      throw new SixerError("argument", `${list.length} slots for ${count} envs: leave the number out, or give as many slots`);
    giveConfig(config, true);
    this.#count = list.length;
    const at = make("web_vec_begin", list.length);
    list.forEach((s, i) => call("web_vec_slot", at, i, s.rom.at, s.mode ?? -1, s.difficulty ?? 0));
    if (call("web_vec_create", at)) throw failure();
    this.hold(at, (p) => call("web_vec_destroy", p), [...new Set(list.map((s) => s.rom))]);
    call("web_vec_info", at);
    const n = numbers().slice(0, 20);
    this.#info = { players: n[0], obsSize: n[1], shape: Array.from(n.slice(3, 3 + n[2])), arrays: Array.from(n.slice(7)) };
    const envs = list.length, all = envs * this.players, obs = envs * this.obsSize;
    const bytes = (size) => new Uint8Array(size), ints = (size) => new Int32Array(size);
    this.#arrays = {
      obs: bytes(obs), finalObs: bytes(obs), rewards: ints(all), rawRewards: ints(all), terminated: bytes(envs),
      truncated: bytes(envs), ends: bytes(envs), lives: ints(all), frames: new Float64Array(envs), episodeFrames: ints(envs),
      executed: ints(all), levels: ints(envs), ended: bytes(all),
    };
  }
  get count() { return this.#count; }
  get players() { return this.#info.players; }
  get shape() { return this.#info.shape.slice(); }
  get obsSize() { return this.#info.obsSize; }
  #env(env) {
    if (!Number.isInteger(env) || env < 0 || env >= this.#count)
      throw new SixerError("argument", `there is no env ${String(env)}: the vec has ${this.#count}`);
    return env;
  }
  actions(env) {
    call("web_vec_actions", this.at, this.#env(env));
    const n = numbers();
    return intsAt(n[0], n[1]);
  }
  /** Copy the results out of the engine's memory, whose place changes when it grows. */
  #results() {
    const { buffer } = engine().memory, a = this.#info.arrays, r = this.#arrays;
    Object.keys(r).forEach((name, i) => {
      if (name === "frames") {
        const frames = new BigInt64Array(buffer, a[i], this.#count);
        for (let k = 0; k < this.#count; k++) r.frames[k] = Number(frames[k]);
      } else {
        r[name].set(new r[name].constructor(buffer, a[i], r[name].length));
      }
    });
    return r;
  }
  reset({ mask, seeds } = {}) {
    const n = this.#count;
    for (const [what, list] of [["mask", mask], ["seeds", seeds]])
      if (list && list.length !== n) throw new SixerError("argument", `${what} has ${list.length} entries for ${n} envs`);
    const at = this.at;
    withMemory(9 * n, (m) => {
      if (seeds) new BigInt64Array(engine().memory.buffer, m, n).set(Array.from(seeds, (s) => BigInt(whole(s, "a seed"))));
      if (mask) bytesAt(m + 8 * n, n).set(Array.from(mask, Number));
      check("web_vec_reset", at, mask ? m + 8 * n : 0, seeds ? m : 0);
    });
    return this.#results();
  }
  step(actions, strengths) {
    const wanted = this.#count * this.players, at = this.at;
    if (actions.length !== wanted) throw new SixerError("argument", `${actions.length} actions for ${wanted} players of all envs`);
    if (strengths && strengths.length !== wanted) throw new SixerError("argument", `${strengths.length} strengths for ${wanted} players of all envs`);
    withInts(actions, (a) => {
      if (!strengths) return check("web_vec_step", at, a, 0);
      return withMemory(4 * wanted, (s) => {
        new Float32Array(engine().memory.buffer, s, wanted).set(Array.from(strengths));
        check("web_vec_step", at, a, s);
      });
    });
    return this.#results();
  }
  observe() {
    check("web_vec_observe", this.at);
    return this.#results();
  }
  status(env) {
    call("web_vec_status", call("web_vec_inside", this.at), this.#env(env));
    return takeStatus();
  }
  ram(env) { return bytesAt(call("web_vec_ram", this.at, this.#env(env)), 128).slice(); }
  rgb(env) {
    const size = 480 * call("web_vec_height", this.at, this.#env(env));
    return takeBytes(size, null, (at) => check("web_vec_rgb", this.at, env, at));
  }
  save(env, { controller = true, plain = false } = {}) {
    const flags = (controller ? 1 : 0) + (plain ? 4 : 0), size = call("web_vec_state_size", this.at, this.#env(env), flags);
    return takeBytes(size, null, (at) => check("web_vec_save", this.at, env, flags, at, size));
  }
  load(env, state) {
    this.#env(env);
    withBytes(asBytes(state, "a state"), (at, size) => check("web_vec_load", this.at, env, at, size));
  }
}
