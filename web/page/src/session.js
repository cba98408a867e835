/* The game that is played: an env with its past, a recorder or a tape, and what is needed to look into its last frame.
 *
 * The past is a state for every frame of the last minutes, without pictures (some 500 bytes each). A second env, the
 * `peek`, shows moments of the past and carries the inspector, so that looking never changes the game. */
import { Env, Recorder, Rom, Switch, Tape } from "sixer";
import { Look } from "./look.js";
import { Seats } from "./seats.js";

const PAST = 5 * 60 * 60; // frames
const LITTLE = { controller: false, picture: false };
const PADDLE = { offset: 64, step: 23000, min: 27450, max: 790196 }; // place in a saved state; ohms

export class Session {
  rom = null;
  env = null;
  past = []; // { state, input } after each frame
  at = -1; // moment of the past that is shown while rewinding; -1: the present
  look = new Look(this);

  /* ---- Opening ------------------------------------------------------------------------------------------------ */

  /** A game of ours by id, or an image by its bytes; for `players` players if it has modes for them (seats.js). */
  open({ id, bytes, name, players = 1, against = null }) {
    const rom = id ? Rom.open(id) : Rom.fromBytes(bytes, name);
    try {
      this.#sit(rom, players, against);
    } catch (error) {
      rom.close();
      throw error;
    }
    return this.describe();
  }

  /** The same game with another number of players, or others at their seats. */
  seat({ players, against = null }) {
    this.#sit(this.rom, players, against);
    return this.describe();
  }

  #sit(rom, players, against) {
    const seats = players > 1 ? new Seats(rom, players, against) : null;
    let env;
    try {
      env = new Env(rom, { ...settings(), ...seats?.config, players });
    } catch (error) {
      seats?.close();
      throw error;
    }
    this.#use(rom, env, null, seats);
  }

  #use(rom, env, tape = null, seats = null) {
    this.recorder?.close();
    this.tape?.close();
    this.look.close();
    this.seats?.close();
    this.env?.close();
    if (this.rom && this.rom !== rom) this.rom.close();
    Object.assign(this, { rom, env, tape, seats, recorder: null, past: [], at: -1, running: false });
    this.palette = env.palette();
    this.mismatches = [];
    this.sound = new Uint8Array(512);
  }

  describe() {
    const { rom, seats } = this;
    const modes = [1, 2, 3, 4].map((players) => rom.playerModes(players));
    return {
      info: { ...rom.info, modes: modes[this.env.players - 1] },
      players: { now: this.env.players, people: seats ? seats.people : 1, against: seats?.against ?? null, possible: [1, 2, 3, 4].filter((n) => n === 1 || modes[n - 1].length) },
      height: this.env.height,
      names: rom.memoryNames(),
      status: this.#status(),
      tape: this.tape ? this.tape.info : null,
      ...this.show(),
    };
  }

  /** The status, and for several players the score and the lives of each. */
  #status(env = this.env) {
    const { status } = env;
    if (env.players < 2) return status;
    const { score, lives, executed } = env.playersResult;
    return { ...status, scores: score, livesOf: lives, executedOf: executed };
  }

  /** A new game, with another flavor if one is given. */
  begin({ mode, difficulty, level }) {
    this.#live();
    if (mode !== undefined) this.env.setMode(mode);
    if (difficulty !== undefined) this.env.setDifficulty(difficulty);
    if (level !== undefined) this.env.setLevels(level, 1);
    this.env.reset();
    this.seats?.reset();
    this.running = false;
    this.past = [];
    return this.describe();
  }

  /* ---- Frames ------------------------------------------------------------------------------------------------- */

  /** Run `count` frames with this input and return the last picture, the sound of the frames and the status. */
  frames({ count, input, buffer, sounds, breakpoints, keep }) {
    this.at = -1;
    const sound = sounds ? new Uint8Array(512 * count) : null;
    let reward = 0, hit = -1, done = 0;
    while (done < count) {
      const result = this.tape ? this.#tapeStep() : this.#step(this.#stepInput(input), breakpoints);
      if (!result) break;
      reward += result.reward;
      if (sound) sound.set(this.env.sound(this.sound), 512 * done);
      done += this.tape ? Math.max(1, result.frames) : 1;
      if (result.hit >= 0) {
        hit = result.hit;
        break;
      }
    }
    const out = { ...this.show(buffer), status: this.#status(), reward, hit };
    if (sound) {
      out.sound = sound.subarray(0, 512 * Math.min(done, count));
      out.transfer.push(sound.buffer);
    }
    if (keep) out.kept = this.env.save({ picture: false });
    if (this.tape && this.ended) out.tapeEnd = this.#tapeReport();
    return out;
  }

  #stepInput(input) {
    let { action, actionB = 0, actionC = 0, actionD = 0, paddle, rate, switches = 0 } = input;
    let strength = 1;
    if (this.rom.info.paddles && (paddle !== null || rate)) {
      const fire = action === 1 || action >= 10;
      let turn = 0; // in parts of a full turn of one frame, to the right
      if (rate) turn = rate;
      else if (paddle !== null) {
        const wanted = PADDLE.max - paddle * (PADDLE.max - PADDLE.min);
        turn = Math.max(-1, Math.min(1, (this.#paddle() - wanted) / PADDLE.step));
      }
      if (Math.abs(turn) > 0.02) {
        action = turn > 0 ? (fire ? 11 : 3) : fire ? 12 : 4;
        strength = Math.round(Math.abs(turn) * 255) / 255; // as tapes store it
      }
    }
    if (switches & (Switch.SELECT | Switch.RESET)) this.running = true;
    if (this.running) switches |= Switch.RUN;
    if (this.seats) return this.seats.fill(this.env, { action, actionB, actionC, actionD, strength, switches });
    return { action, actionB, strength, switches };
  }

  #paddle() {
    const last = this.past.at(-1)?.state;
    const state = last ?? this.env.save(LITTLE);
    return new DataView(state.buffer, state.byteOffset).getInt32(PADDLE.offset, true);
  }

  #step(input, breakpoints) {
    let hit = -1;
    if (breakpoints?.length) hit = this.look.hits(input, breakpoints);
    if (this.past.length === 0) this.past.push({ state: this.env.save(LITTLE), input: null });
    const result = this.env.step(input);
    this.past.push({ state: this.env.save(LITTLE), input });
    if (this.past.length > PAST + 600) this.past.splice(0, 600);
    return { ...result, hit };
  }

  /** The picture as it stands, and the memory. */
  show(buffer) {
    const env = this.at >= 0 ? this.look.peek : this.env;
    const size = 160 * env.height * 4;
    const pixels = buffer && buffer.byteLength === size ? new Uint8ClampedArray(buffer) : new Uint8ClampedArray(size);
    try {
      env.rgba(pixels);
    } catch (error) {
      if (error.code !== "picture") throw error;
      // a state without a picture was loaded: show the frame after it
      const peek = this.look.copy();
      peek.load(this.env.save(LITTLE));
      peek.step({ action: 0, switches: Switch.RUN });
      peek.rgba(pixels);
    }
    return { pixels, height: env.height, ram: env.ram(), past: this.past.length, transfer: [pixels.buffer] };
  }

  /* ---- The past ----------------------------------------------------------------------------------------------- */

  /** Show the moment `frames` frames earlier. */
  rewind({ frames, buffer }) {
    if (this.tape) this.#live();
    if (this.past.length < 2) return this.show(buffer);
    const from = this.at < 0 ? this.past.length - 1 : this.at;
    this.at = Math.max(1, from - frames);
    this.look.showMoment(this.at);
    return { ...this.show(buffer), status: this.#status(this.look.peek), left: this.at };
  }

  /** Go on from the moment that is shown. */
  rewindEnd() {
    if (this.at >= 0) {
      this.env.load(this.past[this.at].state);
      this.past.length = this.at + 1;
      this.at = -1;
      this.seats?.reset();
    }
    return { status: this.#status() };
  }

  poke({ index, value }) {
    this.rewindEnd();
    this.env.setRam(index, value);
    this.past.push({ state: this.env.save(LITTLE), input: null });
    return { ram: this.env.ram() };
  }

  /* ---- States and tapes --------------------------------------------------------------------------------------- */

  save({ picture = false } = {}) {
    this.rewindEnd();
    return { bytes: this.env.save({ picture }), md5: this.rom.info.md5, status: this.env.status };
  }

  load({ bytes }) {
    this.#live();
    this.env.load(bytes);
    this.seats?.reset();
    this.past = [];
    this.running = false;
    return this.describe();
  }

  record({ by }) {
    this.#live();
    this.recorder = new Recorder(this.env, by);
    return {};
  }

  recordEnd() {
    if (!this.recorder) return { bytes: null };
    this.rewindEnd();
    const bytes = this.recorder.finish();
    this.recorder = null;
    const tape = Tape.open(bytes);
    const { seconds, steps } = tape.info;
    tape.close();
    return { bytes, seconds, steps, title: this.rom.info.title };
  }

  /** Put a tape in. The image is one of ours, the one that is open, or the one of `image`. */
  tapeOpen({ bytes, image, name }) {
    const tape = Tape.open(bytes);
    let rom = null;
    try {
      if (tape.info.damage && tape.info.seconds === 0) throw Object.assign(new Error(tape.info.damage), { code: "tape" });
      if (image) rom = Rom.fromBytes(image, name);
      else if (this.rom?.info.md5 === tape.info.md5) rom = this.rom;
      else {
        try {
          rom = tape.rom();
        } catch (error) {
          const game = tape.info.game ?? `the image with MD5 ${tape.info.md5}`;
          throw Object.assign(new Error(`This tape was played on ${game}, which is not inside sixer. Open that image first, then the tape again.`), { code: "image" });
        }
      }
      const env = tape.env(rom, { sound: true });
      this.#use(rom, env, tape, env.players > 1 ? new Seats(rom, env.players, null) : null);
      this.ended = false;
    } catch (error) {
      tape.close();
      throw error;
    }
    return this.describe();
  }

  #tapeStep() {
    if (this.ended) return null;
    for (;;) {
      let event;
      try {
        event = this.tape.play(this.env);
      } catch (error) {
        if (error.code !== "tape") throw error;
        this.mismatches.push(error.message);
        if (this.mismatches.length > 50) {
          this.ended = true;
          return null;
        }
        continue;
      }
      if (event.kind === "end") {
        this.ended = true;
        return null;
      }
      if (event.kind !== "step") continue;
      this.past.push({ state: this.env.save(LITTLE), input: event.input });
      if (this.past.length > PAST + 600) this.past.splice(0, 600);
      return event.result ?? { reward: 0, frames: this.env.config.frameSkip };
    }
  }

  #tapeReport() {
    const { seconds, damage, complete } = this.tape.info;
    return { seconds, damage, complete, mismatches: this.mismatches.length, first: this.mismatches[0] ?? null };
  }

  /** Leave the tape: the game goes on from where it is. */
  live() {
    this.#live();
    return { status: this.#status() };
  }

  #live() {
    this.rewindEnd();
    this.tape?.close();
    this.tape = null;
  }

  /* ---- Looking (look.js) -------------------------------------------------------------------------------------- */

  inspect(args) {
    return this.look.inspect(args);
  }
  cursor(args) {
    return this.look.cursor(args);
  }
  pixel(args) {
    return this.look.pixel(args);
  }
  stack(args) {
    return this.look.stack(args);
  }
}

/** A person plays: no sticky actions, with sound. */
export function settings() {
  return { sticky: 0, frameSkip: 1, sound: true };
}
