/* Agents, training and models. */
import { giveConfig, takeConfig } from "./config.js";
import { Held, SixerError, asBytes, bytesAt, call, check, engine, failure, files, intsAt, make, numbers, plainFailure,
  takeBytes, textAt, whole, withBytes, withInts, withMemory, withTexts } from "./engine.js";
import { Rom, giveResult } from "./env.js";

/** "name=value,...": presets come first, and true and false are 1 and 0. */
function optionText(options) {
  if (options === undefined || options === null || typeof options === "string") return options ?? null;
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  entries.sort(([a], [b]) => Number(b === "preset") - Number(a === "preset"));
  return entries.map(([name, value]) => `${name}=${typeof value === "boolean" ? Number(value) : value}`).join(",");
}

/** All entries of a list of the engine's until the first text is missing. */
function entries(name, first, fields) {
  const list = [];
  for (let i = 0; ; i++) {
    call(name, ...first, i);
    const n = numbers().slice(0, fields.length);
    if (!n[0]) return list;
    list.push(Object.fromEntries(fields.map((field, k) => [field, textAt(n[k])])));
  }
}

function fill(fields) {
  const n = numbers();
  return Object.fromEntries(fields.map((name, i) => [name, n[i]]));
}

export class Agent extends Held {
  #name;
  constructor(name, options, seed = 0, at = 0, needs = []) {
    super();
    this.#name = name;
    at ||= withTexts([name, optionText(options)], (n, o) => make("web_agent_create", n, o, whole(seed, "the seed")));
    this.hold(at, (p) => call("web_agent_destroy", p), needs);
  }
  static list() { return entries("web_agent_at", [], ["name", "summary"]); }
  static options(agent) { return withTexts([agent], (a) => entries("web_agent_option_at", [a], ["name", "value", "choices", "help"])); }
  static presets(agent) { return withTexts([agent], (a) => entries("web_agent_preset_at", [a], ["name", "options", "source"])); }
  get name() { return this.#name; }
  act(env, actions) {
    return withInts(actions, (list, count) => {
      const action = call("web_agent_act", this.at, env.at, list, count);
      if (action < 0) throw failure();
      return action;
    });
  }
  sit(player) { check("web_agent_sit", this.at, whole(player, "the player")); }
  get settings() {
    const size = call("web_agent_settings", this.at, 0, 0) + 1;
    return withMemory(size, (at) => {
      call("web_agent_settings", this.at, at, size);
      return textAt(at);
    });
  }
  end(env) { check("web_agent_end", this.at, env.at); }
  reset() { call("web_agent_reset", this.at); }
  get learns() { return call("web_agent_learns", this.at) !== 0; }
  prepare(config = {}) {
    giveConfig(config);
    call("web_config_prepare", this.at);
    call("web_config_get");
    return takeConfig();
  }
  learn(env, result) {
    giveResult(result);
    check("web_agent_learn", this.at, env.at);
  }
  evaluate(evaluating) { call("web_agent_evaluate", this.at, evaluating ? 1 : 0); }
  get progress() {
    call("web_agent_progress", this.at);
    const p = fill(["steps", "updates", "features", "memory", "active", "maxActive", "rewardUnit", "value", "error", "loss",
      "refilled", "epsilon", "kernels", "featuresTime", "learningTime"]);
    p.kernels = textAt(p.kernels);
    return p;
  }
  get last() {
    call("web_agent_last", this.at);
    const s = fill(["frames", "replayed", "simulations", "expanded", "nodes", "reused", "memory", "depth", "value", "seconds",
      "emulation", "limited"]);
    s.limited = s.limited !== 0;
    return s;
  }
  look(env, actions) {
    withInts(actions, (list, count) => check("web_agent_look", this.at, env.at, list, count));
    const n = numbers().slice(0, 27), { buffer } = engine().memory;
    const [pixels, frames, height, width, kind, points, distribution, at] = n.slice(19);
    const floats = (where, count) => (where ? Float32Array.from(new Float32Array(buffer, where, count)) : new Float32Array(0));
    return {
      values: n.slice(1, 1 + n[0]), pixels: bytesAt(pixels, frames * height * width).slice(), frames, height, width,
      kind: ["none", "atoms", "quantiles"][kind], points, distribution: floats(distribution, points * n[0]),
      at: floats(at, points),
    };
  }
  saliency(env, cells, actions) {
    if (!Number.isInteger(cells) || cells < 1 || cells > 32) throw new SixerError("argument", `cells is 1 to 32, not ${String(cells)}`);
    return withInts(actions, (list, count) => withMemory(4 * cells * cells, (map) => {
      check("web_agent_saliency", this.at, env.at, list, count, cells, map);
      return Float32Array.from(new Float32Array(engine().memory.buffer, map, cells * cells));
    }));
  }
  tree(max = 10000) {
    const count = Math.min(call("web_agent_tree", this.at, 0, 0), whole(max, "the number of nodes"));
    return withMemory(32 * count, (at) => {
      call("web_agent_tree", this.at, at, count);
      const d = new DataView(engine().memory.buffer, at, 32 * count);
      return Array.from({ length: count }, (_, i) => ({
        parent: d.getInt32(32 * i, true), action: d.getInt32(32 * i + 4, true), depth: d.getInt32(32 * i + 8, true),
        visits: d.getInt32(32 * i + 12, true), reward: d.getInt32(32 * i + 16, true), over: d.getInt32(32 * i + 20, true) !== 0,
        value: d.getFloat64(32 * i + 24, true),
      }));
    });
  }
  save() {
    const at = make("web_agent_save", this.at), bytes = bytesAt(at, numbers()[0]).slice();
    call("free", at);
    return bytes;
  }
  load(env, bytes) { withBytes(asBytes(bytes, "an agent's bytes"), (at, size) => check("web_agent_load", this.at, env.at, at, size)); }
}

/* ---- Training --------------------------------------------------------------------------------------------------- */

let serial = 0;
const progressFields = ["frames", "steps", "episodes", "framesBudget", "episodesBudget", "share", "mean", "best", "last",
  "averaged", "trained", "finished", "evaluation", "evaluated", "evaluationMean", "evaluationFrames", "tests", "bestTest",
  "lastTest", "refilled"];
function takeProgress() {
  const p = fill(progressFields);
  p.trained = p.trained !== 0;
  p.finished = p.finished !== 0;
  return p;
}

const trainNames = ["agent", "options", "label", "rom", "protocol", "seed", "mode", "difficulty", "level", "levels", "frames",
  "episodes", "evaluation", "refill"];

export class Train extends Held {
  #path;
  constructor(settings) {
    super();
    const s = { protocol: "machado2018", seed: 1, mode: -1, difficulty: 0, level: -1, levels: 1, frames: 0, episodes: 0,
      evaluation: -1, refill: false, ...settings };
    const unknown = Object.keys(s).find((name) => !trainNames.includes(name));
    if (unknown) throw new SixerError("config", `there is no setting "${unknown}"; there are ${trainNames.join(", ")}`);
    if (!(s.rom instanceof Rom)) throw new SixerError("argument", "the setting rom must be a Rom");
    const values = [s.seed, s.mode, s.difficulty, s.level, s.levels, s.frames, s.episodes, s.evaluation, Number(s.refill)];
    for (const value of values)
      if (!Number.isSafeInteger(value)) throw new SixerError("config", `settings of a run are whole numbers, not ${String(value)}`);
    const path = (this.#path = `/run${++serial}`);
    const at = withMemory(8 * values.length, (list) => {
      new Float64Array(engine().memory.buffer, list, values.length).set(values);
      return withTexts([s.agent, optionText(s.options), s.label, s.protocol, path], (a, o, l, p, f) =>
        make("web_train_create", s.rom.at, a, o, l, p, f, list));
    });
    this.hold(at, (p) => {
      call("web_train_destroy", p);
      files.removeAll(`${path}.`);
    }, [s.rom]);
  }
  run(steps) {
    if (!Number.isSafeInteger(steps) || steps < 0) throw new SixerError("argument", `steps is a whole number, not ${String(steps)}`);
    check("web_train_run", this.at, steps);
    return this.progress;
  }
  get progress() {
    call("web_train_progress", this.at);
    return takeProgress();
  }
  save() {
    check("web_train_save", this.at);
    return files.get(`${this.#path}.checkpoint`);
  }
  episodes() {
    const bytes = this.at && files.get(`${this.#path}.episodes.tsv`);
    return bytes ? new TextDecoder().decode(bytes) : "";
  }
  get height() { return call("web_env_height", call("web_train_env", this.at)); }
  rgba(into) {
    const env = call("web_train_env", this.at);
    return takeBytes(640 * this.height, into, (at) => {
      const code = call("web_env_rgba", env, at);
      if (code) throw plainFailure(code);
    }, Uint8ClampedArray);
  }
}

/* ---- Models ----------------------------------------------------------------------------------------------------- */

export class Model extends Held {
  constructor(at) {
    super();
    if (typeof at !== "number") throw new SixerError("argument", "a Model is made by Model.open(bytes)");
  }
  static open(bytes) {
    const path = `/${++serial}.checkpoint`;
    files.put(path, asBytes(bytes, "a model"));
    let at;
    try {
      at = withTexts([path], (p) => make("web_model_open", p));
    } catch (e) {
      files.remove(path);
      if (e instanceof SixerError) e.message = e.message.replaceAll(path, "the model");
      throw e;
    }
    const model = new Model(at);
    model.hold(at, (p) => {
      call("web_model_close", p);
      files.remove(path); // it is read when an agent is made
    });
    return model;
  }
  setting(name) { return withTexts([name], (n) => textAt(call("web_model_setting", this.at, n))); }
  get text() { return textAt(call("web_model_text", this.at)); }
  get progress() {
    call("web_model_progress", this.at);
    return takeProgress();
  }
  get sections() {
    const list = [];
    for (let i = 0; ; i++) {
      const name = textAt(call("web_model_section", this.at, i));
      if (name === null) return list;
      list.push({ name, size: numbers()[0] });
    }
  }
  config(rom) {
    giveConfig();
    check("web_config_of_model", this.at, rom.at);
    const n = numbers(), actions = intsAt(n[0], n[1]);
    call("web_config_get");
    return { config: takeConfig(), actions };
  }
  agent(rom) { return new Agent(this.setting("agent"), null, 0, make("web_model_agent", this.at, rom.at), [rom]); }
}
