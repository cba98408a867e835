/* The view "Play": the picker, flavors, switches, tapes, states, and files that are opened or dropped. */
import { $, byPointer, download, el, fromBase64, pack, say, store, toBase64, unpack } from "./dom.js";
import { picture } from "./screen.js";

const SWITCH = { color: 8, "left-difficulty": 64, "right-difficulty": 128 };
const OPPONENTS = [
  ["people", "people"], ["scripted", "a written player"], ["random", "random actions"], ["uct", "UCT, which plans"], ["rollout-iw1", "Rollout IW(1), which plans"],
];
const LINK_MAX = 6000; // characters of a link that still travels well

export class PlayView {
  constructor(app) {
    this.app = app;
    this.tapes = [];
    $("file").addEventListener("click", () => $("chooser").click());
    $("chooser").addEventListener("change", async (event) => {
      for (const file of event.target.files) await this.openFile(file);
      event.target.value = "";
    });
    this.#drops();
    for (let i = 0; i < 10; i++) $("slot").append(el("option", { value: String(i) }, String(i)));
    $("slot").addEventListener("change", () => this.#slotNote());
    $("export").addEventListener("click", () => this.#export());
    $("taketape").addEventListener("click", () => this.#takeOver());
    for (const id of ["players", "against"]) $(id).addEventListener("change", () => this.#seat());
    const flavor = (name) => (event) => this.begin({ [name]: Number(event.target.value) });
    $("mode").addEventListener("change", flavor("mode"));
    $("difficulty").addEventListener("change", flavor("difficulty"));
    $("level").addEventListener("change", (event) => {
      const level = Math.max(0, Math.min(Number(event.target.max), Math.round(Number(event.target.value) || 0)));
      event.target.value = String(level);
      this.begin({ level });
    });
  }

  /* ---- The picker --------------------------------------------------------------------------------------------- */

  /** The cards first, then a picture for each: one request at a time, so that a game that runs is not held up. */
  async fillGames() {
    const { app } = this;
    const { games } = (await app.attempt(() => app.call("games"))) ?? { games: [] };
    const canvases = {};
    $("games").replaceChildren(
      ...games.map(({ id, title }) => {
        canvases[id] = el("canvas", { "aria-hidden": "true" });
        return el("li", {}, el("button", { "data-game": id, click: (event) => this.#choose(id, event) }, canvases[id], el("span", {}, title)));
      }),
    );
    app.think.games(games);
    this.#mark();
    for (const { id } of games) {
      const out = await app.attempt(() => app.call("picture", { id }));
      if (out) picture(canvases[id], out.pixels, 160, out.height);
    }
    this.filled = true;
  }

  async #choose(id, event) {
    await this.app.openGame({ id });
    if (matchMedia("(max-width: 900px)").matches) $("bezel").scrollIntoView({ block: "center" });
    if (byPointer(event)) $("screen").focus({ preventScroll: true });
  }

  #mark() {
    for (const button of document.querySelectorAll("[data-game]")) {
      button.setAttribute("aria-pressed", String(button.dataset.game === this.app.image?.id));
    }
  }

  opened({ info, status, tape, players }) {
    const numbers = (list) => list.map((value) => el("option", { value: String(value) }, String(value)));
    $("mode").replaceChildren(...numbers(info.modes));
    $("difficulty").replaceChildren(...numbers(info.difficulties));
    $("level").max = String(info.levelCount - 1);
    $("level").disabled = info.levelCount < 2;
    $("mode").disabled = info.modes.length < 2;
    $("difficulty").disabled = info.difficulties.length < 2;
    this.#flavor(status);
    this.#players(players);
    $("title").textContent = info.title;
    $("taketape").hidden = !tape;
    this.recording = false;
    this.ended = false;
    this.#recordButton();
    this.#slotNote();
    this.#switchButtons();
    this.#mark();
    this.shown({ status });
    if (!info.game) say(`${info.title} runs, but sixer has no rules for it: there is no score and no end.`);
    else if (info.gameByName) say(`The image is unknown; the rules of ${info.title} were chosen by its name.`);
  }

  /* ---- Several players ----------------------------------------------------------------------------------------- */

  #players(described = this.described) {
    const { app } = this;
    this.described = described;
    const { now, people, against, possible } = described;
    $("seats").hidden = possible.length < 2;
    $("players").replaceChildren(...possible.map((count) => el("option", { value: String(count) }, String(count))));
    $("players").value = String(now);
    const model = app.think.modelBytes && app.think.modelGame === app.info.game ? [["model", "the opened model"]] : [];
    $("against").replaceChildren(...[...OPPONENTS, ...model].map(([value, text]) => el("option", { value }, text)));
    $("against").value = against?.model ? "model" : against?.name ?? "people";
    $("against").disabled = now < 2;
    const pads = now > 2 ? ", C and D game pads 3 and 4" : "";
    $("seatnote").textContent = people < 2 ? "" : `Player A has W A S D and space, player B the arrows and /, or the keypad${pads}. Game pads 1 and 2 work as well.`;
  }

  /** A model was opened: it can be played against. */
  modelOpened() {
    if (this.described) this.#players();
  }

  /** A new game with the players that are chosen. */
  #seat() {
    const { app } = this;
    const name = $("against").value;
    const against = name === "people" ? null : name === "model" ? { model: app.think.modelBytes } : { name };
    return app.attempt(async () => {
      app.opened(await app.call("seat", { players: Number($("players").value), against }), app.image);
      app.pause(false);
    }, "Choose another opponent.");
  }

  #flavor(status) {
    $("mode").value = String(status.mode);
    $("difficulty").value = String(status.difficulty);
    $("level").value = String(status.level);
  }

  shown(out) {
    const { status } = out;
    if (!status) return;
    const lives = (count) => (count < 0 ? "out" : String(count)); // of a player
    const parts = status.scores
      ? [`score ${status.scores.join(" : ")}`, `lives ${status.livesOf.map(lives).join(" : ")}`]
      : [`score ${status.score}`, `lives ${status.lives}`];
    if (out.left !== undefined) parts.push("rewinding");
    else if (status.over) parts.push("over: Enter begins a new game");
    const text = parts.join(" · ");
    if ($("facts").textContent !== text) $("facts").textContent = text;
    const pace = this.app.paused ? "paused" : this.recording ? "recording" : "";
    if ($("pace").textContent !== pace) $("pace").textContent = pace;
    if (status.over && !this.ended && !out.left) $("screen").setAttribute("aria-label", `Picture of the game. Game over with score ${status.scores?.join(" to ") ?? status.score}.`);
    else if (!status.over && this.ended) $("screen").setAttribute("aria-label", "Picture of the game");
    this.ended = status.over;
  }

  paused(paused) {
    $("pause").textContent = paused ? "Go on" : "Pause";
    $("pace").textContent = paused ? "paused" : this.recording ? "recording" : "";
    if (!paused) $("start").hidden = true;
  }

  /* ---- Commands ----------------------------------------------------------------------------------------------- */

  command(command) {
    const { app } = this;
    if (!app.playing) return;
    if (command in SWITCH) this.#flip(command);
    else if (command === "new") this.begin({});
    else if (command === "save") this.#save();
    else if (command === "load") this.#load();
    else if (command === "record") this.#record();
    else if (command === "next-mode") this.#next("mode", app.info.modes);
    else if (command === "next-difficulty") this.#next("difficulty", app.info.difficulties);
    else if (command === "next-level") this.begin({ level: (app.status.level + 1) % app.info.levelCount });
  }

  #next(name, list) {
    if (list.length) this.begin({ [name]: list[(list.indexOf(this.app.status[name]) + 1) % list.length] });
  }

  begin(flavor) {
    const { app } = this;
    return app.attempt(async () => {
      const out = await app.call("begin", flavor);
      app.shown(out);
      this.#flavor(out.status);
      $("taketape").hidden = true;
      app.pause(false);
    });
  }

  #flip(command) {
    this.app.input.switches ^= SWITCH[command];
    this.#switchButtons();
  }

  #switchButtons() {
    const { switches } = this.app.input;
    const difficulty = this.app.status?.difficulty ?? 0;
    const set = (id, on, text) => {
      $(id).setAttribute("aria-pressed", String(Boolean(on)));
      $(id).textContent = text;
    };
    set("color", switches & 8, switches & 8 ? "B/W" : "Color");
    const left = Boolean(switches & 64) !== Boolean(difficulty & 1), right = Boolean(switches & 128) !== Boolean(difficulty & 2);
    set("left", switches & 64, `Left ${left ? "A" : "B"}`);
    set("right", switches & 128, `Right ${right ? "A" : "B"}`);
  }

  /* ---- States ------------------------------------------------------------------------------------------------- */

  #slotName() {
    return `slot.${this.app.info.md5}.${$("slot").value}`;
  }

  #slotNote() {
    const kept = this.app.info && store.get(this.#slotName());
    $("slotnote").textContent = kept ? `Slot ${$("slot").value}: score ${kept.score}, ${new Date(kept.when).toLocaleString()}.` : `Slot ${$("slot").value} is empty.`;
  }

  #save() {
    const { app } = this;
    return app.attempt(async () => {
      const { bytes, status } = await app.call("save");
      const done = store.set(this.#slotName(), { state: toBase64(bytes), score: status.score, when: Date.now() });
      if (!done) say("This browser keeps nothing for this page, so slots are not stored. Use Export instead.", "error");
      this.#slotNote();
      if (done) say(`Saved to slot ${$("slot").value}.`);
    });
  }

  #load() {
    const kept = store.get(this.#slotName());
    if (!kept) say(`Slot ${$("slot").value} of ${this.app.info.title} is empty: save to it first.`);
    else this.loadState(fromBase64(kept.state));
  }

  loadState(bytes) {
    const { app } = this;
    return app.attempt(async () => {
      app.shown(await app.call("load", { bytes }));
      this.#flavor(app.status);
      $("taketape").hidden = true;
    }, "Open the game that the state was saved in, with as many players, then the state.");
  }

  #export() {
    const { app } = this;
    return app.attempt(async () => {
      const { bytes } = await app.call("save", { picture: true });
      download(bytes, `${app.info.game ?? "game"}.state`);
    });
  }

  /* ---- Tapes -------------------------------------------------------------------------------------------------- */

  #record() {
    const { app } = this;
    return app.attempt(async () => {
      if (this.recording) {
        const { bytes, seconds, title } = await app.call("recordEnd");
        this.recording = false;
        this.#recordButton();
        if (bytes) this.#keepTape(bytes, title, seconds);
      } else {
        await app.call("record", { by: "a person, in a browser" });
        this.recording = true;
        this.#recordButton();
        $("taketape").hidden = true;
        if (app.paused) app.pause(false);
      }
    });
  }

  #recordButton() {
    $("record").setAttribute("aria-pressed", String(this.recording));
    $("record").textContent = this.recording ? "Stop recording" : "Record";
  }

  #keepTape(bytes, title, seconds) {
    const number = this.tapes.push(bytes);
    const name = `${this.app.info.game ?? "game"}-${number}.tape`;
    const image = this.app.image;
    $("tapelist").prepend(
      el("li", { "data-tape": String(number) },
        el("span", {}, `${title}, ${seconds} s, ${bytes.length} bytes`),
        el("button", { click: () => this.openTape(bytes, image.bytes ? image : null) }, "Play"),
        el("button", { click: () => download(bytes, name) }, "Save …"),
        el("button", { click: () => this.#link(bytes) }, "Link")),
    );
    say(`The tape has ${seconds} seconds. "sixer replay ${name}" proves it anywhere.`);
  }

  async #link(bytes) {
    const packed = toBase64(await pack(bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    if (packed.length > LINK_MAX) {
      say(`This tape is too long for a link (${packed.length} characters, at most ${LINK_MAX}): save it as a file instead.`, "error");
      return;
    }
    const url = `${location.href.split("#")[0]}#tape=${packed}`;
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url);
      say("The link with the tape is in the clipboard and in the address bar.");
    } catch {
      say("The link with the tape is in the address bar: copy it from there.");
    }
  }

  /** A tape in the address of the page. True if one was put in. */
  async openLink() {
    const match = /[#&]tape=([^&]*)/.exec(location.hash);
    if (!match) return false;
    try {
      const bytes = await unpack(fromBase64(match[1].replaceAll("-", "+").replaceAll("_", "/")));
      return await this.openTape(bytes, null, true);
    } catch {
      say("The tape in this link is damaged: part of the address is missing or was changed. Ask for the link again, or for the tape as a file.", "error");
      return false;
    }
  }

  async openTape(bytes, image = null, linked = false) {
    const { app } = this;
    const described = await app.attempt(() => app.call("tapeOpen", { bytes, image: image?.bytes, name: image?.name }), "The game goes on.");
    if (!described) return false;
    app.opened(described, image ?? (described.info.md5 === app.info?.md5 && app.image ? app.image : { id: described.info.game }));
    const { by, seconds, damage } = described.tape;
    say(`A tape of ${seconds} seconds, played by ${by || "somebody"}.${damage ? ` It is damaged: ${damage}` : ""}`, damage ? "error" : "note");
    app.pause(linked);
    $("start").hidden = !linked;
    return true;
  }

  tapeEnded({ seconds, damage, mismatches, first }) {
    this.app.pause(true);
    if (mismatches) say(`The tape does not replay as it was recorded: ${first}`, "error");
    else if (damage) say(`The tape is damaged after ${seconds} seconds: ${damage} What came before is true.`, "error");
    else say(`Proven: all ${seconds} seconds of the tape gave the recorded pictures, memory and rewards.`);
    $("taketape").hidden = false;
  }

  #takeOver() {
    const { app } = this;
    return app.attempt(async () => {
      await app.call("live");
      $("taketape").hidden = true;
      app.pause(false);
    });
  }

  /* ---- Files -------------------------------------------------------------------------------------------------- */

  #drops() {
    const veil = $("dropveil");
    let depth = 0;
    addEventListener("dragenter", (event) => {
      event.preventDefault();
      depth++;
      veil.hidden = false;
    });
    addEventListener("dragleave", () => {
      if (--depth <= 0) veil.hidden = true;
    });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
      event.preventDefault();
      depth = 0;
      veil.hidden = true;
      for (const file of event.dataTransfer?.files ?? []) await this.openFile(file);
    });
  }

  /** Open a file of any kind; which, its first bytes tell. */
  async openFile(file) {
    const { app } = this;
    if (file.size > 512 * 1024 * 1024) {
      say(`${file.name} has ${Math.round(file.size / 1048576)} MB, which is more than this page can hold.`, "error");
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const name = file.name.replace(/\.[^.]*$/, "");
    const kind = kindOf(bytes);
    if (kind === "tape") await this.openTape(bytes);
    else if (kind === "state") await this.loadState(bytes);
    else if (kind === "model") {
      app.show("think");
      await app.think.openModel(bytes);
    } else {
      app.show("play");
      await app.attempt(async () => {
        const image = { bytes, name };
        const described = await app.call("open", image);
        app.input.switches = 0;
        app.opened(described, image);
        app.pause(false);
      }, `${file.name} is no cartridge image, tape, state or model of sixer. Images have 2 to 512 KB and often end in .bin or .a26.`);
    }
  }
}

/** What a file is, by its first bytes. */
export function kindOf(bytes) {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  if (head.startsWith("sixer tape")) return "tape";
  if (head.startsWith("6SXR")) return "state";
  if (head.startsWith("6section")) return "model";
  return "image";
}
