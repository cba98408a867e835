/* Games, cartridges and environments. */
import { giveConfig, takeConfig } from "./config.js";
import { Held, SixerError, asBytes, bytesAt, call, check, engine, failure, files, intsAt, make, numbers, plainFailure,
  stopped, takeBytes, textAt, whole, withBytes, withInts, withMemory, withTexts } from "./engine.js";

const ends = ["none", "game-over", "life", "frame-limit", "stuck"];
const kinds = ["player0", "player1", "missile0", "missile1", "ball"];

/* ---- Actions ---------------------------------------------------------------------------------------------------- */

const names = ["NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT", "UPFIRE",
  "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE"];
export const Action = Object.freeze(Object.fromEntries(names.map((name, i) => [name, i])));
export const Switch = Object.freeze({ RESET: 1, SELECT: 2, RUN: 4, COLOR: 8, LEFT: 64, RIGHT: 128 });
export function actionName(action) { return names[action]; }

/* ---- Games ------------------------------------------------------------------------------------------------------ */

/** Read numbers of the last call one after the other. */
function reader() {
  const n = numbers().slice();
  let i = 0;
  return {
    number: () => n[i++],
    flag: () => n[i++] !== 0,
    text: () => textAt(n[i++]),
    list: () => {
      const at = n[i++], count = n[i++];
      return count ? intsAt(at, count) : [];
    },
  };
}

export function games() {
  const catalog = make("web_catalog_open");
  try {
    return Array.from({ length: call("web_catalog_count", catalog) }, (_, index) => {
      call("web_catalog_game", catalog, index);
      const r = reader();
      const game = { id: r.text(), title: r.text() };
      const md5s = r.number(), count = r.number();
      game.md5s = Array.from({ length: count }, (_unused, k) => textAt(md5s + 33 * k));
      game.modes = r.list();
      game.difficulties = r.list();
      game.legalActions = r.list();
      game.minimalActions = r.list();
      game.defaultMode = r.number();
      game.levelCount = r.number();
      for (const name of ["paddles", "imageInside", "several", "corrections"]) game[name] = r.flag();
      return game;
    });
  } finally {
    call("web_catalog_close", catalog);
  }
}

/* ---- Cartridges ------------------------------------------------------------------------------------------------- */

/** Bytes of memory that a definition reads: `lives = ram[0xB9]` calls address B9 "lives". */
function namesIn(definition) {
  const found = new Map();
  const note = (name, expression) => {
    const numbersIn = [...expression.matchAll(/ram\[\s*(0x[0-9a-f]+|\d+)\s*\]/gi)].map((m) => Number(m[1]));
    for (const m of expression.matchAll(/bcd\(([^)]*)\)/g))
      numbersIn.push(...m[1].split(",").map((s) => Number(s.trim())));
    for (const address of numbersIn) {
      if (!(address >= 0x80 && address <= 0xff)) continue;
      const known = found.get(address) ?? [];
      if (!known.includes(name)) known.push(name);
      found.set(address, known);
    }
  };
  for (const line of definition.split("\n").map((l) => l.replace(/#.*/, "").trim())) {
    const assigned = /^(?:reward\s*=\s*)?advance\s+(\w+)\s+to\s+(.*)$/.exec(line) ?? /^(?:keep\s+)?(\w+)\s*=(?!=)\s*(.*)$/.exec(line);
    if (assigned) note(assigned[1], assigned[2]);
    else if (/\bwhile\b.*\bmode\b/.test(line)) note("mode", line);
    const poked = /^ram\[\s*(0x[0-9a-f]+)\s*\]\s*=\s*(\w+)\s*$/i.exec(line);
    if (poked && !/^\d/.test(poked[2])) note(poked[2], `ram[${poked[1]}]`);
  }
  return [...found].map(([address, list]) => ({ address, name: list.join(", ") })).sort((a, b) => a.address - b.address);
}

export class Rom extends Held {
  #info = null;
  static #of(at) {
    const rom = new Rom(secret);
    rom.hold(at, (p) => call("web_rom_close", p));
    return rom;
  }
  constructor(key) {
    super();
    if (key !== secret) throw new SixerError("argument", "a Rom is made by Rom.open(id) or Rom.fromBytes(bytes, name)");
  }
  static open(id, game) {
    if (typeof id !== "string" || !/^\w+$/.test(id))
      throw new SixerError("argument", `"${String(id)}" is not the id of a game ("duskrain"); for an image use Rom.fromBytes(bytes, name)`);
    const own = games().filter((g) => g.imageInside);
    if (!own.some((g) => g.id === id)) {
      throw new SixerError("file", `the image of ${id} is not inside; there are ${own.map((g) => g.id).join(", ")}. ` +
        "Read the bytes of an image of yours and use Rom.fromBytes(bytes, name)");
    }
    return Rom.#of(withTexts([id, game], (i, g) => make("web_rom_open", i, g)));
  }
  static fromBytes(image, name, game) {
    const bytes = asBytes(image, "the image");
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
      const path = `/${name ?? "image"}.bin`;
      files.put(path, bytes);
      try {
        return Rom.#of(withTexts([path, game], (p, g) => make("web_rom_open", p, g)));
      } finally {
        files.remove(path);
      }
    }
    return Rom.#of(withBytes(bytes, (at, size) => withTexts([name, game], (n, g) => make("web_rom_create", at, size, n, g))));
  }
  /** Of a pointer that another class was given. */
  static adopt(at) { return Rom.#of(at); }
  get info() {
    if (this.#info && !this.closed) return this.#info;
    call("web_rom_info", this.at);
    const r = reader();
    return (this.#info = Object.freeze({
      md5: r.text(), type: r.text(), format: r.text(), game: r.text(), title: r.text(), gameByName: r.flag(), paddles: r.flag(),
      size: r.number(), height: r.number(), width: r.number(), stateSize: r.number(), modes: r.list(),
      difficulties: r.list(), legalActions: r.list(), minimalActions: r.list(), defaultMode: r.number(),
      levelCount: r.number(),
    }));
  }
  get legalActions() { return this.info.legalActions; }
  get minimalActions() { return this.info.minimalActions; }
  #players(players, dialect) {
    whole(players, "the number of players");
    call("web_rom_players", this.at, dialect === "ma" ? 1 : 0, players);
    const r = reader();
    return [r.list(), r.list()];
  }
  playerModes(players, dialect = "sixer") { return this.#players(players, dialect)[0]; }
  playerActions(players, dialect = "sixer") { return this.#players(players, dialect)[1]; }
  definition() {
    const { game } = this.info;
    if (!game) return null;
    return withTexts([game], (id) => {
      const at = call("web_definition", id);
      return at ? new TextDecoder().decode(bytesAt(at, numbers()[0])) : null;
    });
  }
  memoryNames() {
    const definition = this.definition();
    return definition ? namesIn(definition) : [];
  }
}
const secret = Symbol("made by the library");

/* ---- Environments ----------------------------------------------------------------------------------------------- */

/** The result of a step, from the numbers of the last call. */
export function takeResult(n = numbers(), at = 0) {
  return {
    reward: n[at], lives: n[at + 1], over: n[at + 2] !== 0, terminal: n[at + 3] !== 0, truncated: n[at + 4] !== 0,
    end: ends[n[at + 5]], executed: n[at + 6], frames: n[at + 7],
  };
}
export function giveResult(r) {
  numbers().set([r.reward, r.lives, Number(r.over), Number(r.terminal), Number(r.truncated), ends.indexOf(r.end),
    r.executed, r.frames]);
}

/** Write the input of a step where the engine expects it. */
export function giveInput(input) {
  const x = typeof input === "number" ? { action: input } : input;
  if (x === null || typeof x !== "object") throw new SixerError("action", `${String(input)} is not an action: 0 to 17, see Action`);
  const e = engine();
  const ints = [x.action ?? 0, x.actionB ?? 0, x.actionC ?? 0, x.actionD ?? 0, x.switches ?? 0, x.frames ?? 0];
  for (const value of ints)
    if (!Number.isInteger(value)) throw new SixerError("action", `${String(value)} is not an action, switch or number of frames`);
  new Int32Array(e.memory.buffer, e.web_input_ints(), 6).set(ints);
  new Float32Array(e.memory.buffer, e.web_input_reals(), 4).set([x.strength ?? 1, x.strengthB ?? (x.actionB ? 1 : 0),
    x.strengthC ?? (x.actionC ? 1 : 0), x.strengthD ?? (x.actionD ? 1 : 0)]);
}

function takePlayers() {
  const r = reader();
  const result = { players: r.number(), reward: [], lives: [], ended: [], executed: [], score: [] };
  for (let i = 0; i < result.players; i++) {
    result.reward.push(r.number());
    result.lives.push(r.number());
    result.ended.push(r.flag());
    result.executed.push(r.number());
    result.score.push(r.number());
  }
  return Object.assign(result, { over: r.flag(), terminal: r.flag(), truncated: r.flag(), end: ends[r.number()], frames: r.number() });
}

export function takeStatus() {
  const n = numbers();
  return {
    mode: n[0], difficulty: n[1], level: n[2], lives: n[3], frames: n[4], episodeFrames: n[5], score: n[6],
    over: n[7] !== 0, terminal: n[8] !== 0, truncated: n[9] !== 0, end: ends[n[10]], executed: n[11],
  };
}

export class Env extends Held {
  /** What a recorder wants to know (tape.js): functions step, reset, state; null if nobody records. */
  recorder = null;
  #rom;
  #config = null;
  constructor(rom, config = {}, at = 0) {
    super();
    if (!(rom instanceof Rom)) throw new SixerError("argument", "the first argument of new Env() must be a Rom");
    this.#rom = rom;
    if (!at) {
      giveConfig(config);
      at = make("web_env_create", rom.at);
    }
    this.hold(at, (p) => call("web_env_destroy", p), [rom]);
  }
  get rom() { return this.#rom; }
  get config() {
    if (!this.#config) {
      call("web_env_config", this.at);
      this.#config = Object.freeze(takeConfig());
    }
    return this.#config;
  }
  get core() { return ["auto", "plain", "interp", "jit"][call("web_env_core", this.at)]; }
  reset() {
    call("web_env_reset", this.at);
    if (this.recorder) this.recorder.reset();
  }
  setMode(mode) { check("web_env_set_mode", this.at, whole(mode, "the mode")); }
  setDifficulty(difficulty) { check("web_env_set_difficulty", this.at, whole(difficulty, "the difficulty")); }
  setLevels(first, count = 1) { check("web_env_set_levels", this.at, whole(first, "the level"), whole(count, "the number of levels")); }
  step(input) {
    if (typeof input === "number" && !this.recorder) {
      if (!Number.isInteger(input)) throw new SixerError("action", `${input} is not an action: 0 to 17, see Action`);
      const e = engine(), { at } = this;
      let refused;
      try {
        refused = e.web_env_step(at, input);
      } catch (error) {
        throw stopped("web_env_step", error);
      }
      if (refused) throw failure();
      return takeResult();
    }
    giveInput(input);
    if (call("web_env_step_input", this.at)) throw failure();
    const result = takeResult();
    if (this.recorder) this.recorder.step();
    return result;
  }
  stepPlayers(actions) {
    const count = this.players;
    for (const a of actions) whole(a, "an action");
    return withInts(actions, (at, n) => {
      check("web_env_step_players", this.at, at, n);
      const result = takePlayers();
      if (this.recorder) {
        const [action, actionB, actionC, actionD] = actions;
        giveInput({ action, actionB, actionC, actionD, strength: 1, strengthB: 1, strengthC: count > 2 ? 1 : 0, strengthD: count > 3 ? 1 : 0 });
        giveResult({ reward: result.reward[0], lives: result.lives[0], over: result.over, terminal: result.terminal,
          truncated: result.truncated, end: result.end, executed: result.executed[0], frames: result.frames });
        this.recorder.step();
      }
      return result;
    });
  }
  restart(seed) {
    call("web_env_restart", this.at, whole(seed, "the seed"));
    if (this.recorder) this.recorder.state();
  }
  get status() {
    call("web_env_status", this.at);
    return takeStatus();
  }
  get players() { return call("web_env_players", this.at); }
  get playersResult() {
    call("web_env_players_result", this.at);
    return takePlayers();
  }
  get height() { return call("web_env_height", this.at); }
  get width() { return 160; }
  screen(into) {
    const e = engine(), at = e.web_env_screen(this.at), size = 160 * e.web_env_height(this.at);
    if (!at) throw plainFailure(8);
    if (into && into.length < size) throw new SixerError("argument", `the array has ${into.length} bytes; ${size} are needed`);
    const result = into ?? new Uint8Array(size);
    result.set(bytesAt(at, size));
    return result;
  }
  #picture(name, size, into, Kind) {
    return takeBytes(size, into, (at) => {
      const code = call(name, this.at, at);
      if (code) throw plainFailure(code);
    }, Kind);
  }
  rgb(into) { return this.#picture("web_env_rgb", 480 * this.height, into); }
  rgba(into) { return this.#picture("web_env_rgba", 640 * this.height, into, Uint8ClampedArray); }
  gray(into) { return this.#picture("web_env_gray", 160 * this.height, into); }
  observation(width = 84, height = 84, into) {
    whole(width, "the width");
    whole(height, "the height");
    if (width < 1 || height < 1 || width > 1024 || height > 1024)
      throw new SixerError("argument", `an observation of ${width} x ${height} pixels: width and height are 1 to 1024`);
    return takeBytes(width * height, into, (at) => check("web_env_observation", this.at, width, height, at));
  }
  palette() { return Uint32Array.from(new Uint32Array(engine().memory.buffer, call("web_env_palette", this.at), 256)); }
  #copy(at, size, into) {
    if (into && into.length < size) throw new SixerError("argument", `the array has ${into.length} bytes; ${size} are needed`);
    const result = into ?? new Uint8Array(size);
    result.set(bytesAt(at, size));
    return result;
  }
  ram(into) { return this.#copy(call("web_env_ram", this.at), 128, into); }
  setRam(index, value) {
    whole(index, "the index");
    if (!Number.isInteger(value) || value < 0 || value > 255)
      throw new SixerError("argument", `a byte of memory is 0 to 255, not ${String(value)}`);
    if (call("web_env_set_ram", this.at, index, value))
      throw new SixerError("argument", `there is no byte ${index}: memory has bytes 0 to 127 (addresses 0x80 to 0xFF)`);
    if (this.recorder) this.recorder.state();
  }
  sound(into) { return this.#copy(call("web_env_sound", this.at), 512, into); }
  objects() {
    return withMemory(12 * 64, (at) => {
      const count = Math.min(call("web_env_objects", this.at, at), 64);
      const n = new Int16Array(engine().memory.buffer, at, 6 * count);
      return Array.from({ length: count }, (_, i) => ({
        kind: kinds[n[6 * i]], x: n[6 * i + 1], y: n[6 * i + 2], width: n[6 * i + 3], height: n[6 * i + 4], color: n[6 * i + 5],
      }));
    });
  }
  save({ controller = true, picture = true } = {}) {
    const flags = (controller ? 1 : 0) + (picture ? 2 : 0);
    return takeBytes(call("web_env_state_size", this.at, flags), null, (at) => call("web_env_save", this.at, flags, at));
  }
  load(state) {
    withBytes(asBytes(state, "a state"), (at, size) => check("web_env_load", this.at, at, size));
    if (this.recorder) this.recorder.state();
  }
  close() {
    if (this.recorder && !this.closed) this.recorder.close();
    super.close();
  }
}
