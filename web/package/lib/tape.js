/* Tapes: recordings of play that can be replayed exactly. */
import { changeConfig, takeConfig } from "./config.js";
import { Held, SixerError, asBytes, bytesAt, call, check, failure, files, make, numbers, plainFailure, textAt, withTexts } from "./engine.js";
import { Env, Rom, takeResult } from "./env.js";

let serial = 0;

/* ---- Recording -------------------------------------------------------------------------------------------------- */

export class Recorder extends Held {
  #path;
  #env;
  #problem = null;
  constructor(env, by) {
    super();
    if (!(env instanceof Env)) throw new SixerError("argument", "the first argument of new Recorder() must be an Env");
    if (env.recorder) throw new SixerError("argument", "this env is being recorded already: finish() that recorder first");
    const path = (this.#path = `/${++serial}.tape`);
    this.#env = env;
    const at = withTexts([path, by], (p, b) => make("web_recorder_open", p, env.at, b));
    this.hold(at, (p) => {
      call("web_recorder_close", p);
      files.remove(path);
    }, [env]);
    env.recorder = {
      step: () => this.#note("web_recorder_step"),
      reset: () => this.#note("web_recorder_reset"),
      state: () => this.#note("web_recorder_state"),
      close: () => this.close(),
    };
  }
  /** What cannot be recorded does not disturb the steps; the first failure is thrown by finish(). */
  #note(name) {
    const code = call(name, this.at);
    if (code && !this.#problem) this.#problem = plainFailure(code);
  }
  bytes() {
    if (this.closed) throw new SixerError("closed", "this Recorder is closed");
    return files.get(this.#path);
  }
  finish() {
    const holder = this.holder();
    const at = this.at;
    holder.at = 0; // closed here, with its error
    const failed = call("web_recorder_close", at);
    const bytes = files.get(this.#path);
    files.remove(this.#path);
    const error = failed ? failure() : this.#problem;
    this.close();
    if (error) throw error;
    return bytes;
  }
  close() {
    if (!this.closed) this.#env.recorder = null;
    super.close();
  }
}

/* ---- Playing back ----------------------------------------------------------------------------------------------- */

function takeEvent() {
  const n = numbers();
  const kind = ["end", "step", "reset", "state"][n[0]], second = n[1], last = n[2] !== 0;
  if (kind === "end") return { kind, second };
  if (kind === "step") {
    const input = { action: n[3], actionB: n[4], actionC: n[5], actionD: n[6], strength: n[7], strengthB: n[8],
      strengthC: n[9], strengthD: n[10], switches: n[11], frames: n[12] };
    return { kind, second, last, input, result: null };
  }
  if (kind === "reset") return { kind, second, last, mode: n[21], difficulty: n[22], level: n[23], levels: n[24] };
  return { kind, second, last, state: bytesAt(n[25], n[26]).slice() };
}

export class Tape extends Held {
  #info = null;
  constructor(at) {
    super();
    if (typeof at !== "number") throw new SixerError("argument", "a Tape is made by Tape.open(bytes)");
    this.hold(at, (p) => call("web_tape_close", p));
  }
  static open(bytes) {
    const path = `/${++serial}.tape`;
    files.put(path, asBytes(bytes, "a tape"));
    try {
      return new Tape(withTexts([path], (p) => make("web_tape_open", p)));
    } catch (e) {
      if (e instanceof SixerError) e.message = e.message.replaceAll(path, "the tape");
      throw e;
    } finally {
      files.remove(path);
    }
  }
  get info() {
    if (this.#info && !this.closed) return this.#info;
    call("web_tape_info", this.at);
    const n = numbers().slice(0, 12);
    const info = { md5: textAt(n[0]), game: textAt(n[1]), by: textAt(n[2]), version: textAt(n[3]), behavior: n[4],
      config: null, seconds: n[5], steps: n[6], resets: n[7], jumps: n[8] !== 0, complete: n[9] !== 0,
      damage: textAt(n[10]), rules: textAt(n[11]) };
    call("web_tape_config", this.at);
    info.config = Object.freeze(takeConfig());
    return (this.#info = Object.freeze(info));
  }
  rom() { return Rom.adopt(make("web_tape_rom", this.at)); }
  rulesChanged(rom) { return call("web_tape_rules_changed", this.at, rom.at) !== 0; }
  env(rom, overrides) {
    if (rom.info.md5 !== this.info.md5) {
      throw new SixerError("tape", `the tape was played on the image ${this.info.md5} (${this.info.game ?? "unknown"}), not on ` +
        `${rom.info.md5} (${rom.info.title})`);
    }
    if (!overrides) return new Env(rom, undefined, make("web_tape_env", this.at, rom.at));
    call("web_config_of_tape", this.at);
    changeConfig(overrides);
    return new Env(rom, undefined, make("web_env_create", rom.at));
  }
  next() {
    check("web_tape_next", this.at, 0);
    return takeEvent();
  }
  play(env) {
    const code = call("web_tape_next", this.at, env.at);
    if (code) throw failure();
    const event = takeEvent();
    if (event.kind === "step") event.result = takeResult(numbers(), 13);
    return event;
  }
  rewind() { call("web_tape_rewind", this.at); }
  verify(rom) {
    this.rewind();
    const env = this.env(rom);
    const report = { verified: false, seconds: 0, steps: 0, resets: 0, reward: 0, problem: null };
    try {
      for (;;) {
        let event;
        try {
          event = this.play(env);
        } catch (e) {
          if (!(e instanceof SixerError) || e.code !== "tape") throw e;
          report.problem = e.message;
          break;
        }
        if (event.kind === "end") break;
        if (event.kind === "step") {
          report.steps++;
          report.reward += event.result.reward;
        } else if (event.kind === "reset") {
          report.resets++;
        }
        if (event.last) report.seconds++;
      }
    } finally {
      env.close();
      this.rewind();
    }
    report.problem ??= this.info.damage;
    report.verified = !report.problem;
    return report;
  }
  repair() {
    const path = `/${++serial}.tape`;
    try {
      withTexts([path], (p) => check("web_tape_repair", this.at, p));
      return files.get(path);
    } finally {
      files.remove(path);
    }
  }
}
