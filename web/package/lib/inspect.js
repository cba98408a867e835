/* Inspection: a frame as a record in which one can move. The engine logs what a step does in a copy of the env; this
 * file keeps the log and answers questions about it. */
import { Held, SixerError, bytesAt, call, check, make, numbers, takeBytes, textAt, withMemory } from "./engine.js";
import { Env, giveInput } from "./env.js";

const LINE = 228, BLANK = 68;
const tiaNames = ["VSYNC", "VBLANK", "WSYNC", "RSYNC", "NUSIZ0", "NUSIZ1", "COLUP0", "COLUP1", "COLUPF", "COLUBK", "CTRLPF",
  "REFP0", "REFP1", "PF0", "PF1", "PF2", "RESP0", "RESP1", "RESM0", "RESM1", "RESBL", "AUDC0", "AUDC1", "AUDF0",
  "AUDF1", "AUDV0", "AUDV1", "GRP0", "GRP1", "ENAM0", "ENAM1", "ENABL", "HMP0", "HMP1", "HMM0", "HMM1", "HMBL", "VDELP0",
  "VDELP1", "VDELBL", "RESMP0", "RESMP1", "HMOVE", "HMCLR", "CXCLR"];
const R = Object.fromEntries(tiaNames.map((name, i) => [name, i]));
const strobes = new Set([R.WSYNC, R.RSYNC, R.RESP0, R.RESP1, R.RESM0, R.RESM1, R.RESBL, R.HMOVE, R.HMCLR, R.CXCLR]);
const riotNames = { 0x280: "SWCHA", 0x281: "SWACNT", 0x282: "SWCHB", 0x283: "SWBCNT", 0x294: "TIM1T", 0x295: "TIM8T",
  0x296: "TIM64T", 0x297: "T1024T" };
const objects = ["player0", "player1", "missile0", "missile1", "ball", "playfield", "background"];

function registerName(address) {
  if (address < 0x40) return tiaNames[address] ?? null;
  return riotNames[address & 0x297] && address & 0x200 ? riotNames[address & 0x297] : null;
}

/** Who wrote each register last, and which writes the delayed copies of graphics came from. */
class Writers {
  constructor(from) {
    this.last = from ? from.last.slice() : new Array(64).fill(null);
    this.old = from ? { ...from.old } : { [R.GRP0]: null, [R.GRP1]: null, [R.ENABL]: null };
  }
  apply(write) {
    const r = write.address;
    if (r === R.GRP0) this.old[R.GRP1] = this.last[R.GRP1];
    if (r === R.GRP1) {
      this.old[R.GRP0] = this.last[R.GRP0];
      this.old[R.ENABL] = this.last[R.ENABL];
    }
    this.last[r] = write;
  }
}

export class Inspector extends Held {
  #env;
  #log = null;      // of the last step
  #before = null;   // writers before its frame
  #after = null;    // and after it
  #registers = null; // values before its frame; -1: not known
  #breakpoints = new Set();
  constructor(env) {
    super();
    if (!(env instanceof Env)) throw new SixerError("argument", "the argument of new Inspector() must be an Env");
    this.#env = env;
    this.hold(make("web_inspector_create", env.at), (p) => call("web_inspector_destroy", p), [env]);
  }
  get env() { return this.#env; }

  /* ---- Stepping ------------------------------------------------------------------------------------------------- */

  step(input) {
    giveInput(input);
    check("web_inspector_step", this.at, this.#env.at);
    const log = this.#take();
    const result = this.#env.step(input);
    log.frame = this.#env.status.frames;
    if (this.#log && this.#log.next === log.frame - 1) {
      this.#before = this.#after;
      this.#registers = this.tiaAt(this.instructions);
    } else {
      this.#before = new Writers();
      this.#registers = null;
    }
    log.next = log.frame;
    this.#log = log;
    this.#after = new Writers(this.#before);
    for (let i = 0; i < log.writeCount; i++) {
      const write = this.#write(i);
      if (write.address < 0x40) this.#after.apply({ ...write, instruction: -1 });
    }
    this.#registers ??= this.#firstRegisters();
    return result;
  }
  /** Copy the log out of the engine's memory, which the next step overwrites. */
  #take() {
    const n = numbers().slice(0, 13);
    const view = (at, size) => new DataView(bytesAt(at, size).slice().buffer);
    return {
      count: n[7], writeCount: n[8], lines: n[9], firstLine: n[10], height: n[11], clocks: n[12],
      instructions: view(n[0], 20 * n[7]), writes: view(n[1], 16 * n[8]), lineData: bytesAt(n[2], 72 * n[9]).slice(),
      pixels: view(n[3], 320 * n[11]), screen: bytesAt(n[4], 160 * n[11]).slice(), memory: bytesAt(n[5], 128).slice(),
      registers: bytesAt(n[6], 8).slice(),
    };
  }
  runTo(input, frames) {
    for (let i = 0; ; i++) {
      const result = this.step(input);
      for (let k = 0; k < this.instructions && this.#breakpoints.size; k++)
        if (this.#breakpoints.has(this.#log.instructions.getUint16(20 * k + 8, true) & 0x1fff)) return { result, hit: k };
      if (i + 1 >= frames || result.over) return { result, hit: -1 };
    }
  }
  setBreakpoints(addresses) { this.#breakpoints = new Set(addresses.map((a) => a & 0x1fff)); }

  /* ---- Instructions --------------------------------------------------------------------------------------------- */

  get instructions() { return this.#log ? this.#log.count : 0; }
  get lines() { return this.#log ? this.#log.lines : 0; }
  get firstLine() { return this.#log ? this.#log.firstLine : 0; }
  get tiaNames() { return tiaNames.slice(); }
  #recorded() {
    if (!this.#log) throw new SixerError("argument", "nothing is recorded yet: call step() first");
    return this.#log;
  }
  #index(index, last) {
    if (!Number.isInteger(index) || index < 0 || index > last)
      throw new SixerError("argument", `there is no instruction ${String(index)}: the frame has ${this.instructions}`);
    return index;
  }
  /** Color clock at which an instruction begins; the frame's end after the last. */
  #clock(index) {
    const log = this.#recorded();
    return index < log.count ? log.instructions.getInt32(20 * index, true) : log.clocks;
  }
  instruction(index) {
    const log = this.#recorded(), at = 20 * this.#index(index, log.count - 1), d = log.instructions;
    const clock = d.getInt32(at, true), pc = d.getUint16(at + 8, true);
    const { text, length } = disassemble([d.getUint8(at + 17), d.getUint8(at + 18), d.getUint8(at + 19)], pc);
    return {
      index, pc, bytes: Array.from({ length }, (_, i) => d.getUint8(at + 17 + i)), text, a: d.getUint8(at + 12),
      x: d.getUint8(at + 13), y: d.getUint8(at + 14), sp: d.getUint8(at + 15), p: d.getUint8(at + 16),
      line: Math.floor(clock / LINE), clock: clock % LINE,
    };
  }
  lineStart(line) {
    let low = 0, high = this.#recorded().count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#clock(middle) < LINE * line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  find(address, index = 0) {
    const log = this.#recorded();
    for (let i = Math.max(0, index); i < log.count; i++)
      if ((log.instructions.getUint16(20 * i + 8, true) & 0x1fff) === (address & 0x1fff)) return i;
    return -1;
  }

  /* ---- Memory and registers ------------------------------------------------------------------------------------- */

  /** Number of writes before an instruction. */
  #writesBefore(index) {
    const log = this.#recorded();
    return index < log.count ? log.instructions.getInt32(20 * index + 4, true) : log.writeCount;
  }
  #write(i) {
    const d = this.#log.writes, at = 16 * i, instruction = d.getInt32(at + 8, true), clock = d.getInt32(at, true);
    const address = d.getUint16(at + 12, true);
    return { instruction, frame: this.#log.frame, pc: this.#log.instructions.getUint16(20 * instruction + 8, true), address,
      register: registerName(address), value: d.getUint8(at + 14), line: Math.floor(clock / LINE), clock: clock % LINE };
  }
  ramAt(index) {
    const log = this.#recorded();
    const ram = log.memory.slice();
    const count = this.#writesBefore(this.#index(index, log.count));
    for (let i = 0; i < count; i++) {
      const address = log.writes.getUint16(16 * i + 12, true);
      if (address >= 0x80 && address <= 0xff) ram[address - 0x80] = log.writes.getUint8(16 * i + 14);
    }
    return ram;
  }
  /** Before the frame, as far as the first line tells: what it did not write had its value before. */
  #firstRegisters() {
    const log = this.#log, values = new Int16Array(64).fill(-1);
    if (!log.lines) return values;
    for (let r = 0; r < tiaNames.length; r++) if (!strobes.has(r)) values[r] = log.lineData[r];
    for (let i = 0; i < log.writeCount && log.writes.getInt32(16 * i, true) < LINE; i++) {
      const address = log.writes.getUint16(16 * i + 12, true);
      if (address < 0x40) values[address] = -1;
      if (address === R.HMCLR) values.fill(-1, R.HMP0, R.HMBL + 1);
    }
    return values;
  }
  tiaAt(index) {
    const log = this.#recorded();
    const values = this.#registers.slice(), count = this.#writesBefore(this.#index(index, log.count));
    for (let i = 0; i < count; i++) {
      const address = log.writes.getUint16(16 * i + 12, true);
      if (address >= 0x40) continue;
      if (address === R.HMCLR) values.fill(0, R.HMP0, R.HMBL + 1);
      else if (!strobes.has(address)) values[address] = log.writes.getUint8(16 * i + 14);
    }
    return values;
  }
  tiaByLine() {
    const log = this.#recorded(), all = new Int16Array(64 * log.lines);
    for (let line = 0; line < log.lines; line++)
      for (let r = 0; r < 64; r++)
        all[64 * line + r] = r < tiaNames.length && !strobes.has(r) ? log.lineData[72 * line + r] : -1;
    return all;
  }
  writes(index) {
    const log = this.#recorded();
    const from = index === undefined ? 0 : this.#writesBefore(this.#index(index, log.count - 1));
    const to = index === undefined ? log.writeCount : this.#writesBefore(index + 1);
    return Array.from({ length: to - from }, (_, i) => this.#write(from + i));
  }

  /* ---- Pixels --------------------------------------------------------------------------------------------------- */

  #blankKind(line, x) { return x < 8 && !(this.#log.lineData[72 * line + R.VBLANK] & 2) ? 0x80 : 0x40; }
  objectMap() {
    const log = this.#recorded(), map = new Uint8Array(160 * log.height);
    for (let i = 0; i < map.length; i++) {
      const note = log.pixels.getUint16(2 * i, true);
      map[i] = ((note >> 8) & 15) === 7 ? this.#blankKind(log.firstLine + Math.floor(i / 160), i % 160) : note & 0x3f;
    }
    return map;
  }
  pixelsBefore(index) {
    const log = this.#recorded(), clock = this.#clock(this.#index(index, log.count));
    const row = Math.floor(clock / LINE) - log.firstLine, x = Math.min(160, Math.max(0, (clock % LINE) - BLANK));
    return Math.min(160 * log.height, Math.max(0, 160 * row + x));
  }
  pixel(x, y) {
    const log = this.#recorded();
    if (!(Number.isInteger(x) && Number.isInteger(y) && x >= 0 && x < 160 && y >= 0 && y < log.height))
      throw new SixerError("argument", `there is no pixel ${String(x)}, ${String(y)}: the screen has 160 x ${log.height}`);
    const note = log.pixels.getUint16(2 * (160 * y + x), true), line = log.firstLine + y;
    const seen = (note >> 8) & 15, clock = LINE * line + BLANK + x;
    const blank = seen !== 7 ? null : this.#blankKind(line, x) === 0x80 ? "hmove-blank" : "vblank";
    const writers = new Writers(this.#before), registers = this.#registers.slice();
    for (let i = 0; i < log.writeCount; i++) {
      if (log.writes.getInt32(16 * i + 4, true) > clock) continue; // it took effect later
      const write = this.#write(i);
      if (write.address >= 0x40) continue;
      writers.apply(write);
      registers[write.address] = write.value;
    }
    const writes = [];
    const add = (role, write) => {
      if (write) writes.push({ role, write });
    };
    const object = blank ?? objects[seen];
    if (blank) {
      add("blank", writers.last[blank === "vblank" ? R.VBLANK : R.HMOVE]);
    } else {
      add("color", writers.last[[R.COLUP0, R.COLUP1, R.COLUPF, R.COLUBK][(note >> 12) & 3]]);
      this.#roles(seen, x, registers, writers, add);
    }
    const lit = objects.slice(0, 6).filter((_, i) => !blank && note & (1 << i));
    return { x, y, line, clock: BLANK + x, color: log.screen[160 * y + x], object, lit, writes };
  }
  /** Shape, position and size of the object with this number. */
  #roles(seen, x, registers, writers, add) {
    const { last, old } = writers;
    const motion = (reset, amount) => {
      add("position", last[reset]);
      if (last[R.HMOVE]) {
        add("motion", last[R.HMOVE]);
        add("motion", last[amount]);
      }
    };
    if (seen <= 1) {
      add("shape", registers[R.VDELP0 + seen] & 1 ? old[R.GRP0 + seen] : last[R.GRP0 + seen]);
      motion(R.RESP0 + seen, R.HMP0 + seen);
      add("size", last[R.NUSIZ0 + seen]);
    } else if (seen <= 3) {
      const n = seen - 2;
      add("shape", last[R.ENAM0 + n]);
      motion(R.RESM0 + n, R.HMM0 + n);
      add("position", last[R.RESMP0 + n]);
      add("size", last[R.NUSIZ0 + n]);
    } else if (seen === 4) {
      add("shape", registers[R.VDELBL] & 1 ? old[R.ENABL] : last[R.ENABL]);
      motion(R.RESBL, R.HMBL);
      add("size", last[R.CTRLPF]);
    } else if (seen === 5) {
      const column = x < 80 ? x : registers[R.CTRLPF] & 1 ? 159 - x : x - 80;
      add("shape", last[column < 16 ? R.PF0 : column < 48 ? R.PF1 : R.PF2]);
      add("priority", last[R.CTRLPF]);
    }
  }

  /* ---- Memory as it is now -------------------------------------------------------------------------------------- */

  peek(address, count) {
    if (!Number.isInteger(address) || !Number.isInteger(count) || count < 0 || count > 65536)
      throw new SixerError("argument", `${String(count)} bytes from ${String(address)}: both are whole numbers up to 65536`);
    return takeBytes(count, null, (at) => check("web_inspector_peek", this.at, this.#env.at, address, count, at));
  }
  disassemble(address, count) {
    const size = Math.min(3 * count, 0x10000 - (address & 0xffff)), bytes = this.peek(address & 0xffff, size);
    const listing = [];
    for (let i = 0; listing.length < count && i < size;) {
      const pc = (address & 0xffff) + i;
      const { text, length } = disassemble([bytes[i], bytes[i + 1] ?? 0, bytes[i + 2] ?? 0], pc);
      listing.push({ pc, bytes: Array.from(bytes.slice(i, i + length)), text });
      i += length;
    }
    return listing;
  }
  get riot() {
    let interval = 0; // of the last write to the timer in the recorded frame; 0: not known
    for (let i = 0; this.#log && i < this.#log.writeCount; i++) {
      const address = this.#log.writes.getUint16(16 * i + 12, true);
      if (address >= 0x200 && (address & 0x294) === 0x294) interval = [1, 8, 64, 1024][address & 3];
    }
    const at = (address) => this.peek(address, 1)[0];
    return { timer: at(0x284), interval, swcha: at(0x280), swchb: at(0x282) };
  }
}

function disassemble(bytes, pc) {
  return withMemory(32, (at) => {
    bytesAt(at, 3).set(bytes);
    const length = call("web_disassemble", at, pc, at + 8);
    return { text: textAt(at + 8), length };
  });
}
