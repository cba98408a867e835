/* What the person does: keys, pads, fingers and the mouse become one input per frame.
 *
 * Keys are physical (event.code), so that the places are the same on every keyboard. Commands that are held (directions,
 * fire, SELECT, RESET, rewind, fast) are read once per frame; the others happen when the key goes down. The table of keys
 * can be changed and is kept on the device. */
import { store } from "./dom.js";

export const COMMANDS = [
  ["up", "Up", ["ArrowUp", "KeyW"], "hold"],
  ["down", "Down", ["ArrowDown", "KeyS"], "hold"],
  ["left", "Left", ["ArrowLeft", "KeyA"], "hold"],
  ["right", "Right", ["ArrowRight", "KeyD"], "hold"],
  ["fire", "Fire", ["Space", "ControlLeft"], "hold"],
  ["up-b", "Player B up", ["Numpad8"], "hold"],
  ["down-b", "Player B down", ["Numpad2"], "hold"],
  ["left-b", "Player B left", ["Numpad4"], "hold"],
  ["right-b", "Player B right", ["Numpad6"], "hold"],
  ["fire-b", "Player B fire", ["Numpad0"], "hold"],
  ["select", "SELECT", ["KeyT", "F8"], "hold"],
  ["reset", "RESET", ["KeyR", "F9"], "hold"],
  ["left-difficulty", "Left difficulty", ["BracketLeft"]],
  ["right-difficulty", "Right difficulty", ["BracketRight"]],
  ["color", "Color or black and white", ["KeyB"]],
  ["new", "New game", ["Enter"]],
  ["next-mode", "Next mode", ["KeyN"]],
  ["next-difficulty", "Next difficulty", ["KeyV"]],
  ["next-level", "Next level", ["KeyE"]],
  ["pause", "Pause", ["KeyP"]],
  ["frame", "One frame", ["Period"]],
  ["rewind", "Rewind", ["Backspace"], "hold"],
  ["fast", "Fast", ["KeyF"], "hold"],
  ["slow", "Slow", ["KeyG"], "hold"],
  ["save", "Save to the slot", ["KeyK"]],
  ["load", "Load from the slot", ["KeyL"]],
  ["record", "Record a tape", ["KeyC"]],
  ["sound", "Sound", ["KeyM"]],
  ["keys", "Show the keys", ["KeyH"]],
  ["view-play", "View: play", ["Digit1"]],
  ["view-open", "View: open it up", ["Digit2"]],
  ["view-think", "View: watch it think", ["Digit3"]],
];
/* With two people at the keyboard, the arrows and `/` are player B's, as in `sixer play`: W A S D and space stay with player A. */
const SHARED = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const HELD = new Set(COMMANDS.filter((row) => row[3]).map((row) => row[0]));

const TIME = new Set(["rewind", "fast", "slow"]); // no input of the game

/* Actions by up, down, left, right and fire; opposite directions cancel each other. */
const STICK = { "0,0": 0, "0,-1": 2, "1,0": 3, "-1,0": 4, "0,1": 5, "1,-1": 6, "-1,-1": 7, "1,1": 8, "-1,1": 9 };
const actionOf = (x, y, fire) => {
  const stick = STICK[`${x},${y}`];
  return fire ? (stick === 0 ? 1 : stick + 8) : stick;
};

export class Input {
  constructor(run) {
    this.run = run; // called with a command
    this.down = new Set(); // commands that are held by keys
    this.tapped = new Set(); // since the last frame: a key that is hit between two frames counts in the next
    this.held = new Set(); // by buttons of the page
    this.touch = { x: 0, y: 0, fire: false };
    this.paddle = null; // where the mouse or finger wants the paddle, 0 left to 1 right
    this.mouseFire = false;
    this.switches = 0; // flipped ones
    this.people = 1; // that play
    this.pads = [];
    this.keys = { ...defaults(), ...store.get("keys", {}) };
    addEventListener("keydown", (event) => this.#key(event, true));
    addEventListener("keyup", (event) => this.#key(event, false));
    addEventListener("blur", () => this.release());
  }

  release() {
    this.down.clear();
    this.held.clear();
    this.mouseFire = false;
  }

  commandOf(code) {
    const found = Object.keys(this.keys).find((command) => this.keys[command].includes(code)) ?? null;
    if (this.people > 1 && SHARED[code] && found === SHARED[code]) return `${found}-b`;
    return this.people > 1 && code === "Slash" && !found ? "fire-b" : found;
  }

  #key(event, down) {
    const command = this.commandOf(event.code);
    if (!command || event.altKey || event.metaKey || (event.ctrlKey && event.code !== "ControlLeft")) return;
    if (!down) {
      this.down.delete(command);
      return;
    }
    const target = event.target;
    if (document.querySelector("dialog[open]")) return;
    if (target.matches?.("input, select, textarea")) return;
    // a control that has the focus keeps the keys that it is worked with
    const control = target.closest?.("button, a, summary, [role=grid], [role=tab], .code, .scroll");
    if (control && /^(Space|Enter|Arrow|Home|End|Page)/.test(event.code)) return;
    if (this.onScreenKey?.(event)) {
      event.preventDefault();
      return;
    }
    event.preventDefault();
    if (HELD.has(command)) {
      this.down.add(command);
      if (!TIME.has(command)) this.tapped.add(command);
    } else if (!event.repeat) this.run(command);
  }

  set(command, codes) {
    for (const other of Object.keys(this.keys)) this.keys[other] = this.keys[other].filter((code) => !codes.includes(code));
    this.keys[command] = codes;
    store.set("keys", this.keys);
  }
  reset() {
    this.keys = defaults();
    store.set("keys", null);
  }

  is(command) {
    return this.down.has(command) || this.tapped.has(command) || this.held.has(command) || this.padCommands?.has(command);
  }

  /** Once for every refresh of the display. */
  readPads() {
    this.padCommands = new Set();
    this.padAxis = 0;
    const pads = [...(navigator.getGamepads?.() ?? [])].filter(Boolean);
    pads.slice(0, 4).forEach((pad, player) => {
      const end = ["", "-b", "-c", "-d"][player];
      const pressed = (i) => pad.buttons[i]?.pressed;
      const [x = 0, y = 0] = pad.axes;
      if (x < -0.4 || pressed(14)) this.padCommands.add(`left${end}`);
      if (x > 0.4 || pressed(15)) this.padCommands.add(`right${end}`);
      if (y < -0.4 || pressed(12)) this.padCommands.add(`up${end}`);
      if (y > 0.4 || pressed(13)) this.padCommands.add(`down${end}`);
      if ([0, 1, 2, 3].some(pressed)) this.padCommands.add(`fire${end}`);
      if (player) return;
      if (Math.abs(x) > 0.08) this.padAxis = x;
      if (pressed(4)) this.padCommands.add("rewind");
      if (pressed(5)) this.padCommands.add("fast");
      for (const [button, command] of [[9, "new"], [8, "pause"]]) {
        if (pressed(button) && !this.pads[button]) this.run(command);
        this.pads[button] = pressed(button);
      }
    });
  }

  /** The input of the next frame. */
  read() {
    const axis = (less, more) => (this.is(more) ? 1 : 0) - (this.is(less) ? 1 : 0);
    const other = (end) => actionOf(axis(`left${end}`, `right${end}`), axis(`up${end}`, `down${end}`), this.is(`fire${end}`));
    const x = Math.sign(axis("left", "right") + this.touch.x), y = Math.sign(axis("up", "down") + this.touch.y);
    const fire = this.is("fire") || this.touch.fire || this.mouseFire;
    if (x !== 0) this.paddle = null; // keys turn the paddle until the mouse moves again
    const switches = this.switches | (this.is("reset") ? 1 : 0) | (this.is("select") ? 2 : 0);
    const [actionB, actionC, actionD] = [other("-b"), other("-c"), other("-d")];
    this.tapped.clear();
    return { action: actionOf(x, y, fire), actionB, actionC, actionD, paddle: this.paddle, rate: this.padAxis, switches };
  }
}

function defaults() {
  return Object.fromEntries(COMMANDS.map(([command, , codes]) => [command, [...codes]]));
}

/** A key as people call it. */
export function keyName(code) {
  const names = { Space: "space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", ControlLeft: "left ctrl", BracketLeft: "[", BracketRight: "]", Period: ".", Slash: "/", Backspace: "backspace", Enter: "enter" };
  return names[code] ?? code.replace(/^Key|^Digit/, "").replace(/^Numpad/, "keypad ");
}
