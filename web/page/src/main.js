/* The page: starts the engine, runs the frames, and connects the views to both. */
import { $, say, store, unpack, fromBase64, byPointer } from "./dom.js";
import { Engine } from "./protocol.js";
import { Clock } from "./clock.js";
import { Input } from "./input.js";
import { Screen } from "./screen.js";
import { Sound } from "./audio.js";
import { PlayView } from "./view_play.js";
import { OpenView } from "./view_open.js";
import { ThinkView } from "./view_think.js";
import { keysDialog } from "./keys.js";
import { touchControls } from "./touch.js";

const app = {
  screen: new Screen(),
  sound: new Sound(),
  clock: new Clock(),
  view: "play",
  playing: false, // a game is open and has been started
  paused: true,
  speed: 1,
  info: null,
  status: null,
  seats: { players: 1, against: null }, // see seats.js
  image: null, // { id } or { bytes, name } of the game that is open
  kept: null, // a state of the last second, from which a dead engine starts again
  breakpoints: [],
};
globalThis.sixerPage = app; // for tests and for the curious
app.input = new Input((command) => app.command(command));

/* ---- The engine -------------------------------------------------------------------------------------------------- */

async function engineBytes() {
  const inlined = globalThis.sixerEngine; // the single file: compressed, in base 64
  if (inlined) return (await unpack(fromBase64(inlined), "gzip")).buffer;
  const response = await fetch("sixer.wasm");
  if (!response.ok) throw new Error(`sixer.wasm: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

function makeEngine(wasm, onDeath) {
  const source = globalThis.sixerWorker; // the single file
  return new Engine({ source, url: source ? undefined : "worker.js", wasm, onDeath });
}

/** A second engine, made when something plans or learns. */
app.thinkEngine = async () => {
  if (!app.thinking || app.thinking.state === "dead") {
    app.thinking = makeEngine(app.wasm, (reason) => {
      app.think.stopped();
      say(`The worker that plans and learns has stopped (${reason}). Your game goes on. Start it again with its button.`, "error");
    });
    app.thinkingStarts = app.thinking.start();
  }
  const { thinking } = app;
  try {
    await app.thinkingStarts; // also of those who ask while it starts
  } catch (error) {
    thinking.state = "dead"; // the next one who asks tries again
    throw error;
  }
  return thinking;
};

app.call = (op, args, transfer) => app.engine.call(op, args, transfer);

/** Do something that may fail, and say so in a sentence. */
app.attempt = async (work, hint = "") => {
  try {
    return await work();
  } catch (error) {
    if (error.code === "dead") return undefined; // said already
    const advice = error.code === "memory" ? " Close other tabs, or choose a smaller budget." : hint ? ` ${hint}` : "";
    say(sentence(error.message) + advice, "error");
    return undefined;
  }
};
const sentence = (text) => {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
};

async function engineDied(reason) {
  say(`The emulator has stopped (${reason}) and was started again; the game goes on from the last second.`, "error");
  const { image, kept, seats } = app;
  app.playing = false; // no frames until the game is open again
  try {
    await app.engine.start();
    if (image) {
      let described = await app.call("open", { ...image, ...seats });
      if (kept) described = await app.call("load", { bytes: kept });
      app.opened(described, image);
    }
  } catch (error) {
    say(`The emulator could not be started again: ${sentence(error.message)} Load the page again.`, "error");
  }
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

const AHEAD = 2; // requests for frames that may be under way: one that takes longer does not hold up the next
let underWay = 0, spare = null, frameCount = 0, missed = 0;

app.shown = (out, { quiet = false } = {}) => {
  if (!out) return;
  if (out.pixels && app.view !== "think") app.screen.show(out.pixels, out.height);
  if (out.status) app.status = out.status;
  if (out.ram) app.ram = out.ram;
  app.sound.play(out.sound);
  if (!quiet) {
    app.play.shown(out);
    if (app.view === "open") app.open.shown(out);
  }
};

async function refresh(now) {
  requestAnimationFrame(refresh);
  app.input.readPads();
  if (app.view === "think") app.think.refresh(now);
  if (!app.playing || app.engine.state === "dead" || app.view === "think") {
    app.clock.reset();
    return;
  }
  const rewinding = app.input.is("rewind");
  if (app.paused && !rewinding && !app.wasRewinding) {
    app.clock.reset();
    return;
  }
  const speed = app.input.is("fast") ? 4 : app.input.is("slow") ? 0.25 : app.speed;
  const due = app.clock.tick(now, rewinding ? 1 : speed);
  const busy = underWay >= (rewinding || app.wasRewinding ? 1 : AHEAD);
  if (busy) {
    missed += due;
    if (speed === 1) app.clock.late += due;
  }
  if (busy || (due === 0 && !app.wasRewinding)) return;
  underWay++;
  const count = Math.min(due + (speed === 1 ? missed : 0), Math.max(4, speed));
  missed = 0;
  try {
    if (rewinding) {
      app.wasRewinding = true;
      app.shown(await app.call("rewind", { frames: 2 * Math.max(1, due) }));
    } else {
      if (app.wasRewinding) {
        app.wasRewinding = false;
        await app.call("rewindEnd");
      }
      if (count > 0 && !app.paused) await app.run(count, app.input.read(), speed);
    }
  } catch (error) {
    if (error.code !== "dead") {
      app.paused = true;
      say(sentence(error.message), "error");
    }
  } finally {
    underWay--;
  }
}

/** Run frames with this input and show the last one. */
app.run = async (count, input = app.input.read(), speed = 1) => {
  frameCount += count;
  const keep = frameCount % 60 < count;
  const buffer = spare;
  spare = null;
  const out = await app.call(
    "frames",
    { count, input, buffer, sounds: app.sound.on && speed === 1, breakpoints: app.breakpoints, keep },
    buffer ? [buffer] : [],
  );
  const old = app.screen.pixels;
  app.shown(out);
  if (old && old.byteLength) spare = old.buffer;
  if (out.kept) app.kept = out.kept;
  if (out.hit >= 0) {
    app.pause(true);
    app.show("open");
    await app.open.breakpoint(out.hit);
  }
  if (out.tapeEnd) app.play.tapeEnded(out.tapeEnd);
  return out;
};

app.pause = (paused) => {
  app.paused = paused;
  app.clock.reset();
  app.play.paused(paused);
  if (app.view === "open") app.open.paused(paused);
};

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

app.opened = (described, image) => {
  app.image = image;
  app.info = described.info;
  app.seats = { players: described.players.now, against: described.players.against };
  app.input.people = described.players.people;
  app.names = described.names;
  app.kept = null;
  app.playing = true;
  spare = null;
  app.clock.rate = /PAL|SECAM/.test(described.info.format) && described.info.format !== "PAL60" ? 49.86 : 59.92;
  app.clock.reset();
  app.screen.shape(described.height, described.info.format);
  app.shown(described, { quiet: true });
  app.play.opened(described);
  app.open.opened(described);
};

/** Open a game of ours, or an image. */
app.openGame = (image, start = true) =>
  app.attempt(async () => {
    const described = await app.call("open", image);
    app.input.switches = 0;
    app.opened(described, image);
    if (image.id) store.set("game", image.id);
    $("start").hidden = start;
    app.pause(!start);
  }, "Choose another file: cartridge images are 2 to 512 KB.");

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

app.command = (command) => {
  const view = /^view-(.*)/.exec(command);
  if (view) app.show(view[1]);
  else if (command === "pause") app.playing && app.pause(!app.paused);
  else if (command === "frame") app.oneFrame();
  else if (command === "sound") app.toggleSound();
  else if (command === "keys") $("keysdialog").open ? $("keysdialog").close() : $("keys").click();
  else app.play.command(command);
};

app.oneFrame = async () => {
  if (!app.playing) return;
  app.pause(true);
  await app.attempt(() => app.run(1));
};

app.show = (view) => {
  if (view === app.view) return;
  app.view = view;
  document.body.dataset.view = view;
  for (const name of ["play", "open", "think"]) $(`view-${name}`).hidden = name !== view;
  for (const button of document.querySelectorAll("[data-view]")) {
    if (button.dataset.view === view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  app.screen.draw(null);
  app.think.active(view === "think");
  app.open.active(view === "open");
  if (view !== "think" && app.playing) app.attempt(async () => app.shown(await app.call("show")));
};

app.toggleSound = async () => {
  if (app.sound.on) app.sound.stop();
  else {
    try {
      await app.sound.start(app.clock.rate);
    } catch (error) {
      say(`There is no sound here: ${sentence(error.message)} The game goes on without it.`, "error");
    }
  }
  $("sound").setAttribute("aria-pressed", String(app.sound.on));
  $("sound").textContent = app.sound.on ? "Sound on" : "Sound off";
};

/* ---- Start ------------------------------------------------------------------------------------------------------- */

function theme(value) {
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}

async function start() {
  theme(store.get("theme"));
  document.body.dataset.view = "play";
  app.play = new PlayView(app);
  app.open = new OpenView(app);
  app.think = new ThinkView(app);
  for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => app.show(button.dataset.view));
  for (const button of document.querySelectorAll("[data-command]")) {
    button.addEventListener("click", (event) => {
      app.command(button.dataset.command);
      if (byPointer(event)) $("screen").focus({ preventScroll: true });
    });
  }
  holdButtons();
  $("sound").addEventListener("click", () => app.toggleSound());
  $("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    store.set("theme", dark ? "light" : "dark");
    theme(dark ? "light" : "dark");
    if (app.view === "think") app.think.repaint();
  });
  $("speed").addEventListener("change", (event) => {
    app.speed = Number(event.target.value);
    app.clock.reset();
  });
  $("start").addEventListener("click", () => {
    $("start").hidden = true;
    app.pause(false);
    app.toggleSound();
    $("screen").focus({ preventScroll: true });
  });
  keysDialog(app.input);
  touchControls(app);

  try {
    app.wasm = engineBytes(); // while the worker starts
    app.engine = makeEngine(app.wasm, engineDied);
    await app.engine.start();
  } catch (error) {
    const disk = location.protocol === "file:" ? " A browser does not load parts of a page from the disk: open sixer.html, the single file, instead." : "";
    say(`The emulator could not be started: ${sentence(error.message)}${disk}`, "error");
    return;
  }
  if (app.engine.inPage) say("Workers are not allowed here, so the emulator runs in the page itself. Long searches may hold up the picture.");
  setInterval(() => app.engine.watch(), 1000);
  const linked = await app.play.openLink();
  if (!linked) await app.openGame({ id: store.get("game", "hedgelight") }, false);
  if (!app.playing) await app.openGame({ id: "hedgelight" }, false);
  performance.mark("first-picture");
  requestAnimationFrame(refresh);
  setTimeout(() => app.play.fillGames(), 50);
}

/** Buttons that act as long as they are held, by pointer or by key. */
function holdButtons() {
  for (const button of document.querySelectorAll("[data-hold]")) {
    const command = button.dataset.hold;
    const press = () => (app.input.held.add(command), button.classList.add("down"));
    const release = () => (app.input.held.delete(command), button.classList.remove("down"));
    button.addEventListener("pointerdown", press);
    for (const end of ["pointerup", "pointerleave", "pointercancel", "blur"]) button.addEventListener(end, release);
    button.addEventListener("pointerup", () => $("screen").focus({ preventScroll: true }));
    button.addEventListener("keydown", (event) => /^(Space|Enter)$/.test(event.code) && press());
    button.addEventListener("keyup", release);
  }
}

start();
