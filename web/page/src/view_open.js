/* The view "Open it up": the last frame as the beam drew it, and everything that was written to draw it.
 *
 * While the game runs, memory, reward and the agent's view follow it. When it is paused the frame is recorded, and a
 * cursor moves over its instructions, forward and back. */
import { $, el, hex } from "./dom.js";
import { picture } from "./screen.js";
import { NAMES } from "./names.js";

const LABEL = {
  player0: "player 0", player1: "player 1", missile0: "missile 0", missile1: "missile 1", ball: "ball", playfield: "playfield",
  background: "background", vblank: "nothing: the beam is off (vertical blank)", "hmove-blank": "nothing: HMOVE blanks the first 8 pixels of a line",
};
/* Columns of the table of lines: those that draw. */
const COLUMNS = ["COLUBK", "COLUPF", "COLUP0", "COLUP1", "PF0", "PF1", "PF2", "CTRLPF", "GRP0", "GRP1", "NUSIZ0", "NUSIZ1", "REFP0", "REFP1", "ENAM0", "ENAM1", "ENABL", "VBLANK"];

/* While the game runs, memory and reward are drawn at every fourth frame: nobody reads faster, and drawing 128 cells takes longer
 * than the frame itself where there is no graphics processor. */
const EVERY = 4;

export class OpenView {
  constructor(app) {
    this.app = app;
    this.record = null;
    this.index = 0;
    this.at = { x: 80, y: 100 };
    this.before = new Uint8Array(128);
    this.frames = 0;
    this.shownHeat = [];
    const steps = { "to-back": () => this.move(this.index - 1), "to-next": () => this.step(1), "to-line": () => this.line(1), "to-line-back": () => this.line(-1), "to-frame": () => this.frame(), "to-run": () => this.run() };
    for (const [id, work] of Object.entries(steps)) $(id).addEventListener("click", work);
    $("beam").addEventListener("input", (event) => this.#stop().then(() => this.move(Number(event.target.value))));
    $("breakform").addEventListener("submit", (event) => this.#addBreak(event));
    $("pokeform").addEventListener("submit", (event) => this.#poke(event));
    app.screen.canvas.addEventListener("click", (event) => app.view === "open" && this.pick(app.screen.pixelAt(event)));
    app.input.onScreenKey = (event) => this.#screenKey(event);
    this.#makeMemory();
    setInterval(() => this.#slow(), 250);
  }

  opened({ ram }) {
    this.record = null;
    this.chosen = null;
    this.names = this.#names();
    this.before = ram;
    if (this.app.view === "open") this.active(true);
    this.#labelMemory();
  }

  /** Names of memory: from the source of our own games, else from the game's definition. */
  #names() {
    const { app } = this;
    const own = NAMES[app.image?.id];
    if (own) return own;
    const names = {};
    for (const { name, address } of app.names ?? []) names[address] = [name, "in the game's definition"];
    return names;
  }

  active(on) {
    if (!on) {
      this.app.screen.draw(null);
      return;
    }
    if (this.app.paused && this.app.playing) this.inspect();
    else this.#clearBeam();
  }

  paused(paused) {
    if (paused) this.inspect();
    else {
      this.record = null;
      this.#clearBeam();
    }
  }

  #clearBeam() {
    this.app.screen.draw(null);
    $("beamat").textContent = this.app.paused ? "" : "runs: press Pause, a step, or click a pixel";
  }

  async #stop() {
    if (!this.app.paused) {
      this.app.pause(true);
      await this.pending;
    }
    if (!this.record) await this.inspect();
  }

  /* ---- The record of a frame ---------------------------------------------------------------------------------- */

  inspect(at = null) {
    const { app } = this;
    this.pending = app.attempt(async () => {
      const record = await app.call("inspect");
      if (!record.instructions) {
        // nothing was played yet: play a frame
        await app.run(1);
        Object.assign(record, await app.call("inspect"));
      }
      if (!record.instructions || !app.paused) return; // the game may go on again by now
      this.record = record;
      $("beam").max = String(record.instructions);
      this.#makeTia();
      await this.move(at ?? record.instructions);
      if (this.picked) await this.pick(this.at, true);
    });
    return this.pending;
  }

  breakpoint(index) {
    return this.inspect(index);
  }

  /** Put the cursor before an instruction of the frame. */
  async move(index) {
    const { app, record } = this;
    if (!record) return this.#stop();
    this.index = Math.max(0, Math.min(record.instructions, index));
    const cursor = await app.attempt(() => app.call("cursor", { index: this.index }));
    if (!cursor || this.record !== record) return; // meanwhile it runs, or another frame is shown
    this.cursor = cursor;
    const { instruction } = cursor;
    $("beam").value = String(this.index);
    $("beamat").textContent = instruction ? `line ${instruction.line}, clock ${instruction.clock}, instruction ${this.index} of ${record.instructions}` : `end of the frame: ${record.instructions} instructions, ${record.lines} lines`;
    this.#cpu(instruction);
    this.#code();
    this.#memory(cursor.ram, cursor.writes);
    this.#beam(cursor.drawn);
    this.#markLine(instruction ? instruction.line : record.lines - 1);
  }

  /** One instruction on; at the end of the frame, into the next one. */
  async step() {
    await this.#stop();
    if (this.record && this.index < this.record.instructions) await this.move(this.index + 1);
    else await this.frame(0);
  }

  async line(by) {
    await this.#stop();
    if (!this.record) return;
    const { lineOf, instructions } = this.record;
    let i = this.index;
    if (by > 0) {
      const line = i < instructions ? lineOf[i] : Infinity;
      while (i < instructions && lineOf[i] <= line) i++;
      if (i >= instructions && this.index >= instructions) return this.frame(0);
    } else {
      const line = lineOf[Math.max(0, i - 1)];
      while (i > 0 && lineOf[i - 1] >= line) i--;
    }
    await this.move(i);
  }

  async frame(at = null) {
    const { app } = this;
    if (!app.paused) {
      app.pause(true);
      return;
    }
    this.record = null;
    const out = await app.attempt(() => app.run(1));
    if (out && !(out.hit >= 0)) await this.inspect(at);
  }

  run() {
    this.app.pause(false);
  }

  /* ---- Parts -------------------------------------------------------------------------------------------------- */

  /** The part of the picture that the beam has not reached yet is darkened. */
  #beam(drawn) {
    const { app } = this;
    const height = app.screen.height;
    const y = Math.min(height, Math.floor(drawn / 160)), x = drawn % 160;
    app.screen.draw((top, sx, sy) => {
      if (drawn < 160 * height) {
        top.fillStyle = "rgb(8 10 16 / 62%)";
        top.fillRect(x, y, 160 - x, 1);
        top.fillRect(0, y + 1, 160, height - y - 1);
        top.fillStyle = "#f2b84b";
        top.fillRect(x, y - 0.5, 2, 2);
      }
      if (this.picked) {
        top.strokeStyle = "#fff";
        top.lineWidth = 1.5 / sx;
        top.strokeRect(this.at.x - 1, this.at.y - 1, 3, 3);
        top.strokeStyle = "#000";
        top.lineWidth = 0.7 / sx;
        top.strokeRect(this.at.x - 1, this.at.y - 1, 3, 3);
      }
    });
  }

  #cpu(instruction) {
    if (!instruction) {
      $("cpu").textContent = "The frame has ended.";
      return;
    }
    const { a, x, y, sp, p, pc } = instruction;
    const flags = [..."NV-BDIZC"].map((flag, i) => (p & (128 >> i) ? flag : flag.toLowerCase())).join("");
    $("cpu").textContent = `PC ${hex(pc, 4)}  A ${hex(a)}  X ${hex(x)}  Y ${hex(y)}  SP ${hex(sp)}  ${flags}`;
  }

  /** Some instructions before and after the cursor, in the order in which they ran. */
  #code() {
    const { pcs, texts, lineOf, instructions } = this.record;
    const rows = [];
    for (let i = Math.max(0, this.index - 7); i <= Math.min(instructions - 1, this.index + 9); i++) {
      const pc = pcs[i];
      const { text, bytes } = texts[pc];
      const stop = this.app.breakpoints.includes(pc & 0x1fff);
      rows.push(
        el("button", { class: `op${i === this.index ? " now" : ""}${stop ? " stop" : ""}`, "aria-current": i === this.index ? "step" : null, title: "Double click: breakpoint", click: () => this.move(i), dblclick: () => this.#toggleBreak(pc) },
          el("i", {}, String(lineOf[i])), el("b", {}, hex(pc, 4)), el("code", {}, bytes.map((byte) => hex(byte)).join(" ")), el("span", {}, this.#named(text))),
      );
    }
    $("code").replaceChildren(...rows);
  }

  /** An instruction with the names of registers and memory. */
  #named(text) {
    return text.replace(/\$(?:00)?([0-9A-F]{2})(?![0-9A-F])/g, (whole, digits, at) => {
      if (text[at - 1] === "#") return whole;
      const address = parseInt(digits, 16);
      const store = /^(ST|IN|DE|AS|LS|RO|SA)/.test(text);
      const name = address >= 0x80 ? this.names?.[address]?.[0] : store ? this.record.tiaNames[address] : null;
      return name || whole;
    });
  }

  /* memory */

  #makeMemory() {
    this.cells = [];
    const rows = [];
    for (let row = 0; row < 8; row++) {
      const cells = [];
      for (let column = 0; column < 16; column++) {
        const index = 16 * row + column;
        const cell = el("button", { role: "gridcell", tabindex: index ? "-1" : "0", click: () => this.#choose(index), keydown: (event) => this.#cellKey(event, index) }, "00");
        this.cells.push(cell);
        cells.push(cell);
      }
      rows.push(el("div", { role: "row" }, el("span", { role: "rowheader" }, `$${hex(0x80 + 16 * row)}`), ...cells));
    }
    $("memory").replaceChildren(...rows);
    this.heat = new Float32Array(128);
  }

  #labelMemory() {
    this.cells.forEach((cell, i) => {
      const [name, comment] = this.names[0x80 + i] ?? [];
      cell.classList.toggle("named", Boolean(name));
      cell.title = `$${hex(0x80 + i)}${name ? ` ${name}${comment ? `: ${comment}` : ""}` : ""}`;
    });
  }

  #cellKey(event, index) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -16, ArrowDown: 16 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(127, index + by));
    this.cells[index].tabIndex = -1;
    this.cells[next].tabIndex = 0;
    this.cells[next].focus();
  }

  #memory(ram, writes = []) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const written = new Set(writes.map((write) => write.address - 0x80));
    for (let i = 0; i < 128; i++) {
      const changed = ram[i] !== this.before[i];
      this.heat[i] = changed || written.has(i) ? 1 : Math.max(0, this.heat[i] - (calm ? 1 : 0.3));
      const cell = this.cells[i];
      const text = hex(ram[i]);
      if (cell.textContent !== text) cell.textContent = text;
      const heat = this.heat[i].toFixed(2);
      if (this.shownHeat[i] === heat) continue;
      this.shownHeat[i] = heat;
      cell.style.setProperty("--heat", heat);
      cell.classList.toggle("hot", this.heat[i] > 0.45);
    }
    this.before = ram;
    this.ram = ram;
    if (this.chosen !== null && document.activeElement !== $("pokevalue")) $("pokevalue").value = hex(ram[this.chosen]);
  }

  #choose(index) {
    this.chosen = index;
    for (const cell of this.cells) cell.removeAttribute("aria-selected");
    this.cells[index].setAttribute("aria-selected", "true");
    $("pokename").textContent = this.cells[index].title;
    $("pokevalue").disabled = $("poke").disabled = false;
    $("pokevalue").value = hex(this.ram?.[index] ?? 0);
  }

  #poke(event) {
    event.preventDefault();
    const value = parseInt($("pokevalue").value, 16);
    if (this.chosen === null || !(value >= 0 && value < 256)) return;
    const { app } = this;
    app.attempt(async () => {
      const { ram } = await app.call("poke", { index: this.chosen, value });
      this.#memory(ram);
      this.record = null;
    });
  }

  /* lines */

  /** A row of text for each line of the frame: values that were written since the line before, dots for the others. The
   *  line of the cursor shows all. */
  #makeTia() {
    const { tiaNames, lines, firstLine } = this.record;
    this.columns = COLUMNS.map((name) => tiaNames.indexOf(name));
    const wide = (text) => text.padEnd(7);
    const rows = [`<div class="line head">line   ${COLUMNS.map(wide).join("")}</div>`];
    for (let line = 0; line < lines; line++) {
      const visible = line >= firstLine && line < firstLine + this.app.screen.height;
      rows.push(`<div class="line${visible ? "" : " unseen"}">${this.#lineText(line, false)}</div>`);
    }
    $("tia").innerHTML = rows.join("");
    this.marked = -1;
  }

  #lineText(line, all) {
    const { tia } = this.record;
    const cells = this.columns.map((column) => {
      const value = tia[64 * line + column];
      const same = line > 0 && tia[64 * (line - 1) + column] === value;
      return (value < 0 || (same && !all) ? "·" : hex(value)).padEnd(7);
    });
    return String(line).padEnd(7) + cells.join("");
  }

  #markLine(line) {
    const rows = $("tia").children;
    if (this.marked >= 0 && rows[1 + this.marked]) {
      rows[1 + this.marked].classList.remove("now");
      rows[1 + this.marked].textContent = this.#lineText(this.marked, false);
    }
    this.marked = line;
    const row = rows[1 + line];
    if (!row) return;
    row.classList.add("now");
    row.textContent = this.#lineText(line, true);
    $("tia").scrollTop = row.offsetTop - $("tia").clientHeight / 2;
  }

  /* pixels */

  #screenKey(event) {
    if (this.app.view !== "open" || event.target !== this.app.screen.canvas || !this.app.paused) return false;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by) return false;
    const scale = event.shiftKey ? 8 : 1;
    this.pick({ x: (this.at.x + scale * by[0] + 160) % 160, y: Math.max(0, Math.min(this.app.screen.height - 1, this.at.y + scale * by[1])) });
    return true;
  }

  async pick(at, again = false) {
    const { app } = this;
    this.at = at;
    this.picked = true;
    if (!again) await this.#stop();
    const info = await app.attempt(() => app.call("pixel", at));
    if (!info || !this.record) return;
    const color = this.#css(at);
    const rows = info.writes.map(({ role, write }) => this.#writeRow(role, write));
    const others = info.lit.filter((object) => object !== info.object).map((object) => LABEL[object] ?? object);
    $("pixel").replaceChildren(
      el("p", { class: "pixelhead" }, el("i", { class: "swatch", style: `background:${color}` }), el("b", {}, LABEL[info.object] ?? info.object), ` at ${at.x}, ${at.y}: color $${hex(info.color)}, line ${info.line}, clock ${info.clock}`),
      ...(others.length ? [el("p", { class: "note" }, `Behind it: ${others.join(", ")}.`)] : []),
      el("table", {}, el("tbody", {}, ...rows)),
    );
    if (this.cursor) this.#beam(this.cursor.drawn);
  }

  #css({ x, y }) {
    const [r, g, b] = this.app.screen.context.getImageData(x, y, 1, 1).data;
    return `rgb(${r} ${g} ${b})`;
  }

  #writeRow(role, write) {
    const here = write.instruction >= 0;
    const text = here ? this.record.texts[write.pc]?.text : null;
    const where = here ? `line ${write.line}, clock ${write.clock}` : "in an earlier frame";
    const code = text ? `$${hex(write.pc, 4)} ${this.#named(text)}` : `$${hex(write.pc, 4)}`;
    const button = here ? el("button", { class: "link", click: () => this.move(write.instruction) }, code) : el("span", {}, code);
    return el("tr", {}, el("td", {}, role), el("td", {}, el("code", {}, `${write.register ?? hex(write.address, 4)} = $${hex(write.value)}`)), el("td", {}, button), el("td", {}, where));
  }

  /* breakpoints */

  #addBreak(event) {
    event.preventDefault();
    const address = parseInt($("breakat").value, 16);
    if (Number.isNaN(address)) return;
    $("breakat").value = "";
    this.#toggleBreak(address, true);
  }

  #toggleBreak(address, on = null) {
    const { app } = this;
    const at = address & 0x1fff; // the console has 13 address lines
    const has = app.breakpoints.includes(at);
    if (has && on !== true) app.breakpoints = app.breakpoints.filter((other) => other !== at);
    else if (!has) app.breakpoints = [...app.breakpoints, at];
    $("breaks").replaceChildren(...app.breakpoints.map((one) => el("button", { type: "button", class: "chip", "aria-label": `Remove the breakpoint at ${hex(one | 0xe000, 4)}`, click: () => this.#toggleBreak(one, false) }, `$${hex(one | 0xe000, 4)} ×`)));
    if (this.record) this.#code();
  }

  /* ---- While it runs ------------------------------------------------------------------------------------------ */

  shown(out) {
    if (out.reward) this.lastReward = { reward: out.reward, frame: out.status.frames };
    const { status, paused } = this.app;
    if (!status || (!paused && ++this.frames % EVERY)) return;
    if (!paused && out.ram) this.#memory(out.ram);
    const reward = this.lastReward ? `last reward ${this.lastReward.reward} at frame ${this.lastReward.frame}` : "no reward yet";
    const end = status.over ? (status.terminal ? "the game is over" : "cut off") : "the episode goes on";
    const text = `${reward} · score ${status.score} · lives ${status.lives} · ${end} · frame ${status.frames}`;
    if ($("rewards").textContent !== text) $("rewards").textContent = text;
  }

  async #slow() {
    const { app } = this;
    if (app.view !== "open" || !app.playing || app.engine.state === "dead" || this.slowBusy || document.hidden) return;
    this.slowBusy = true;
    try {
      // one after the other, so that a frame that is due does not wait for all of them
      const pictures = [];
      for (let back = 3; back >= 0; back--) {
        const { pixels } = await app.call("stack", { back });
        if (pixels) pictures.push(pixels);
      }
      while ($("stack").children.length < pictures.length) $("stack").append(el("canvas", { role: "img", "aria-label": "What an agent sees" }));
      while ($("stack").children.length > pictures.length) $("stack").lastChild.remove();
      pictures.forEach((pixels, i) => picture($("stack").children[i], pixels, 84, 84, true));
    } catch {
      // the engine says what is wrong where it is asked by the person
    } finally {
      this.slowBusy = false;
    }
  }
}

