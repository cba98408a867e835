/* Looking into the last frame: instructions, writes, registers, pixels, and what an agent would see.
 *
 * A copy of the env, the peek, is put at the frame before the one that is shown and steps it again under the package's
 * Inspector, which keeps everything that happened. The page then moves a cursor in that record. */
import { Env, Inspector } from "sixer";

const BEFORE = 2; // frames that are inspected before the one that is shown, to know who wrote registers that it only used

export class Look {
  constructor(session) {
    this.session = session;
    this.shown = -1;
  }

  /** The copy of the env, made when it is first needed. */
  copy() {
    const { rom, env } = this.session;
    if (!this.peek) this.peek = new Env(rom, { ...env.config, frameSkip: env.config.frameSkip, sound: false, objects: false });
    return this.peek;
  }

  close() {
    this.inspector?.close();
    this.peek?.close();
    this.inspector = this.peek = null;
    this.shown = -1;
  }

  /** Show frame `at` of the past in the copy: from the state before it, with its input. */
  showMoment(at) {
    const { past } = this.session;
    const peek = this.copy();
    if (past[at].input) {
      peek.load(past[at - 1].state);
      peek.step(past[at].input);
    } else {
      // memory was written here: the picture is that of the frame that follows
      peek.load(past[at].state);
      peek.step({ action: 0 });
    }
  }

  #record(last) {
    const { past } = this.session;
    const peek = this.copy();
    this.inspector ??= new Inspector(peek);
    let first = last;
    while (first > 1 && last - first < BEFORE && past[first].input && past[first - 1].input) first--;
    if (!past[first]?.input) return false;
    peek.load(past[first - 1].state);
    for (let i = first; i <= last; i++) this.inspector.step(past[i].input);
    return true;
  }

  /** Would the next step execute an instruction at one of these addresses? The index of the first, else -1. */
  hits(input, breakpoints) {
    const peek = this.copy();
    this.inspector ??= new Inspector(peek);
    peek.load(this.session.env.save({ controller: false, picture: false }));
    this.inspector.step(input);
    let hit = -1;
    for (const address of breakpoints) {
      const index = this.inspector.find(address, 0);
      if (index >= 0 && (hit < 0 || index < hit)) hit = index;
    }
    return hit;
  }

  /** Record the frame that is shown. With `code`, all of its instructions in short form. */
  inspect() {
    const { session } = this;
    const last = session.at >= 0 ? session.at : session.past.length - 1;
    if (last < 1 || !this.#record(last)) return { instructions: 0 };
    const { inspector } = this;
    const count = inspector.instructions;
    const pcs = new Uint16Array(count);
    const lines = new Uint16Array(count);
    const texts = {};
    for (let i = 0; i < count; i++) {
      const one = inspector.instruction(i);
      pcs[i] = one.pc;
      lines[i] = one.line;
      texts[one.pc] ??= { text: one.text, bytes: one.bytes };
    }
    const objects = inspector.objectMap();
    return {
      instructions: count,
      lines: inspector.lines,
      firstLine: inspector.firstLine,
      pcs,
      lineOf: lines,
      texts,
      objects,
      tia: inspector.tiaByLine(),
      tiaNames: inspector.tiaNames,
      transfer: [pcs.buffer, lines.buffer],
    };
  }

  /** The console before instruction `index` of the recorded frame. */
  cursor({ index }) {
    const { inspector } = this;
    if (!inspector) return null;
    const at = Math.min(index, inspector.instructions);
    return {
      index: at,
      instruction: at < inspector.instructions ? inspector.instruction(at) : null,
      ram: inspector.ramAt(at),
      tia: inspector.tiaAt(at),
      drawn: inspector.pixelsBefore(at),
      writes: at < inspector.instructions ? inspector.writes(at) : [],
    };
  }

  pixel({ x, y }) {
    return this.inspector ? this.inspector.pixel(x, y) : null;
  }

  /** The observation of 84 x 84 that is `back` steps of four frames before the newest; null if there is none. */
  stack({ back }) {
    const { session } = this;
    const { past } = session;
    const at = (session.at >= 0 ? session.at : past.length - 1) - 4 * back;
    if (at < 1 || !past[at].input) return { pixels: null };
    const peek = this.copy();
    peek.load(past[at - 1].state);
    peek.step(past[at].input);
    return { pixels: peek.observation(84, 84) };
  }
}
