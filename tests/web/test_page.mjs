/* What test_page.sh runs: the page in Chromium, control by control. The arguments are the folder of the built page and the
 * native program. SIXER_ONLY="some words" runs the tests whose names have them. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { browser, root } from "./browser.mjs";
import { seatTests } from "./page_seats.mjs";
import { troubleTests } from "./page_trouble.mjs";
import { LOOKS, takePictures } from "./page_pictures.mjs";
import { QUIET, choose, download, drop, file, focusGame, folder, frames, message, only, pause, program, ready, running, screen, settled, sixer, state, until, work } from "./page_helpers.mjs";

/* ---- Play --------------------------------------------------------------------------------------------------------- */

const tests = {
  async "the page opens with a picture, and Play starts it"(page) {
    assert.ok((await screen(page)).colors > 1, "the first picture is empty");
    assert.equal((await state(page)).paused, true);
    await page.click("#start");
    await running(page);
    await until(page, () => sixerPage.sound.on);
  },

  async "every game of the picker opens and moves"(page) {
    const seen = new Set();
    const ids = await page.$$eval("[data-game]", (buttons) => buttons.map((button) => button.dataset.game));
    assert.equal(ids.length, 8);
    for (const id of ids) {
      await choose(page, id);
      await running(page);
      assert.equal((await state(page)).game, id);
      seen.add((await screen(page)).sum);
    }
    assert.equal(seen.size, 8, "two games show the same picture");
  },

  async "keys: stick and button reach the game"(page) {
    await choose(page, QUIET);
    await focusGame(page);
    for (const [key, action] of [["ArrowUp", 2], ["ArrowDown", 5], ["ArrowLeft", 4], ["ArrowRight", 3], ["Space", 1], ["KeyW", 2], ["KeyA", 4], ["KeyS", 5], ["KeyD", 3]]) {
      await page.keyboard.down(key);
      await until(page, (wanted) => sixerPage.status.executed === wanted, action);
      await page.keyboard.up(key);
      await until(page, () => sixerPage.status.executed === 0);
    }
    await page.keyboard.down("ArrowUp");
    await page.keyboard.down("ArrowRight");
    await page.keyboard.down("Space");
    await until(page, () => sixerPage.status.executed === 14);
    for (const key of ["ArrowUp", "ArrowRight", "Space"]) await page.keyboard.up(key);
    for (const [key, action] of [["Numpad8", 2], ["Numpad0", 1]]) {
      await page.keyboard.down(key);
      assert.equal(await page.evaluate(() => sixerPage.input.read().actionB), action);
      await page.keyboard.up(key);
    }
  },

  async "time: pause, one frame, rewind, fast, slow, by keys and by mouse"(page) {
    await choose(page, QUIET);
    await running(page);
    await focusGame(page);
    for (const act of [() => page.keyboard.press("KeyP"), () => page.click("#pause")]) {
      const { paused } = await state(page);
      await act();
      await until(page, (wanted) => sixerPage.paused === wanted, !paused);
    }
    await pause(page);
    for (const act of [() => page.keyboard.press("Period"), () => page.click("#frame")]) {
      const before = await frames(page);
      await act();
      await until(page, (n) => sixerPage.status.frames === n + 1, before);
    }
    await page.click("#pause");
    const begun = await frames(page);
    await until(page, (n) => sixerPage.status.frames > n + 40, begun);
    await focusGame(page);
    const before = await frames(page);
    await page.keyboard.down("Backspace");
    await until(page, (n) => sixerPage.status.frames < n - 10, before);
    await page.keyboard.up("Backspace");
    await running(page);
    const box = await (await page.$("#back")).boundingBox();
    const begunAgain = await frames(page);
    await until(page, (n) => sixerPage.status.frames > n + 20, begunAgain);
    const at = await frames(page);
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    await until(page, (n) => sixerPage.status.frames < n, at);
    await page.mouse.up();
    await running(page);
    const speedOf = async () => {
      const from = await frames(page);
      await page.waitForTimeout(600);
      return (await frames(page)) - from;
    };
    await page.selectOption("#speed", "0.25");
    const slow = await speedOf();
    await page.selectOption("#speed", "16");
    const fast = await speedOf();
    await page.selectOption("#speed", "1");
    assert.ok(fast > 2 * slow, `fast ${fast} slow ${slow}`);
    await focusGame(page);
    for (const key of ["KeyF", "KeyG"]) {
      await page.keyboard.down(key);
      await page.waitForTimeout(100);
      assert.equal(await page.evaluate((k) => sixerPage.input.is(k), key === "KeyF" ? "fast" : "slow"), true);
      await page.keyboard.up(key);
    }
  },

  async "the switches of the console, by keys and by mouse"(page) {
    await choose(page, "sporefall");
    for (const [key, button, bit] of [["BracketLeft", "#left", 64], ["BracketRight", "#right", 128], ["KeyB", "#color", 8]]) {
      await focusGame(page);
      await page.keyboard.press(key);
      await until(page, (wanted) => sixerPage.input.switches & wanted, bit);
      await page.click(button);
      await until(page, (wanted) => !(sixerPage.input.switches & wanted), bit);
    }
    // SELECT shows the title: state 0 in the first byte of memory; RESET plays: 1
    for (const press of [
      async (id, key) => {
        await focusGame(page);
        await page.keyboard.down(key);
        return () => page.keyboard.up(key);
      },
      async (id) => {
        const box = await (await page.$(id)).boundingBox();
        await page.mouse.move(box.x + 8, box.y + 8);
        await page.mouse.down();
        return () => page.mouse.up();
      },
    ]) {
      for (const [id, key, value] of [["#select", "KeyT", 0], ["#reset", "KeyR", 1]]) {
        const release = await press(id, key);
        await until(page, (wanted) => sixerPage.ram[0] === wanted, value);
        await release();
      }
    }
    for (const act of [() => page.keyboard.press("Enter"), () => page.click("#newgame")]) {
      await page.waitForTimeout(300);
      await focusGame(page);
      const before = (await state(page)).status.episodeFrames;
      await act();
      await until(page, (n) => sixerPage.status.episodeFrames < n, before);
    }
  },

  async "flavors, by keys and by mouse"(page) {
    await choose(page, "sporefall");
    await page.selectOption("#mode", "2");
    await until(page, () => sixerPage.status.mode === 2 && sixerPage.status.episodeFrames < 60);
    await page.selectOption("#difficulty", "1");
    await until(page, () => sixerPage.status.difficulty === 1);
    await page.fill("#level", "7");
    await page.press("#level", "Tab");
    await until(page, () => sixerPage.status.level === 7);
    await focusGame(page);
    for (const [key, name, value] of [["KeyN", "mode", 3], ["KeyV", "difficulty", 2], ["KeyE", "level", 8]]) {
      await page.keyboard.press(key);
      await until(page, ([field, wanted]) => sixerPage.status[field] === wanted, [name, value]);
    }
  },

  async "the paddle follows mouse and keys"(page) {
    await choose(page, "duskrain");
    const box = await (await page.$("#screen")).boundingBox();
    const boat = (side) => until(page, (wanted) => Math.sign(sixerPage.ram[0xa4 - 0x80 + 23] - 76) === wanted, side); // boatx of duskrain.asm
    await page.mouse.move(box.x + box.width * 0.1, box.y + box.height / 2);
    await boat(-1);
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2);
    await boat(1);
    await focusGame(page);
    await page.keyboard.down("ArrowLeft");
    await boat(-1);
    await page.keyboard.up("ArrowLeft");
    await page.mouse.down();
    assert.equal(await page.evaluate(() => sixerPage.input.mouseFire), true);
    await page.mouse.up();
  },

  async "states: slots, export and import; a damaged and a foreign one"(page) {
    await choose(page, "hedgelight");
    await page.waitForTimeout(400);
    await pause(page);
    const kept = await frames(page);
    await page.selectOption("#slot", "3");
    await page.click("#save");
    await message(page, /saved to slot 3/);
    await page.click("#pause");
    await until(page, (n) => sixerPage.status.frames > n + 20, kept);
    await pause(page);
    await page.click("#load");
    await until(page, (n) => sixerPage.status.frames === n, kept);
    await focusGame(page);
    await page.keyboard.press("KeyK");
    await message(page, /saved/);
    await page.keyboard.press("KeyL");
    await page.selectOption("#slot", "9");
    await page.click("#load");
    await message(page, /slot 9 .* is empty/);
    const bytes = readFileSync(await download(page, () => page.click("#export")));
    await page.click("#pause");
    await page.waitForTimeout(400);
    await pause(page);
    await drop(page, "hedgelight.state", bytes);
    await until(page, (n) => sixerPage.status.frames === n, kept);
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 100, 300);
    await drop(page, "damaged.state", damaged);
    await message(page, /state/);
    const version = Buffer.from(bytes);
    version[4] = 99;
    await drop(page, "other.state", version);
    await message(page, /layout|version|state/);
    await choose(page, "sporefall");
    await drop(page, "hedgelight.state", bytes);
    await message(page, /image|state/);
    await running(page);
  },

  async "a tape made by clicks is proven by the native program, by its link and by its file"(page, { context }) {
    await choose(page, "sporefall");
    await page.click("#newgame");
    await page.click("#record");
    await page.waitForSelector("#record[aria-pressed=true]");
    await focusGame(page);
    for (const key of ["ArrowLeft", "Space", "ArrowRight", "Space"]) {
      await page.keyboard.down(key);
      await page.waitForTimeout(500);
      await page.keyboard.up(key);
    }
    await page.keyboard.press("KeyC");
    await page.waitForSelector("#tapelist li");
    const tape = await download(page, () => page.click("#tapelist li button:nth-of-type(2)"));
    assert.match(sixer("replay", tape), /second|verified|ok/i);
    await page.click("#tapelist li button:nth-of-type(3)");
    await page.waitForURL(/#tape=[\w-]+$/);
    const link = page.url();
    await page.evaluate(() => history.replaceState(null, "", location.href.split("#")[0]));
    const other = await context.newPage();
    await other.goto(link);
    await ready(other);
    await other.click("#start");
    await message(other, /proven: all/);
    await other.click("#taketape");
    await other.waitForSelector("#taketape", { state: "hidden" });
    await running(other);
    await other.goto(`${file}#tape=AAAA${link.slice(-60)}`);
    await other.reload();
    await message(other, /tape in this link is damaged/);
    await ready(other);
    await other.close();
    await page.click("#tapelist li button:nth-of-type(1)");
    await message(page, /proven: all/);
    // a native tape, whole and damaged
    const native = path.join(work, "native.tape");
    sixer("record", "random", "wispherd", "-o", native, "--steps", "200", "--frame-skip", "1");
    await drop(page, "native.tape", readFileSync(native));
    await until(page, () => sixerPage.info.game === "wispherd");
    await message(page, /proven: all/);
    const bad = Buffer.from(readFileSync(native));
    bad[bad.length - 40] ^= 0x55;
    await drop(page, "bad.tape", bad);
    await message(page, /damaged/);
    const none = Buffer.from("sixer tape 1\nnonsense");
    await drop(page, "none.tape", none);
    await message(page, /tape/);
    await choose(page, "sporefall");
  },

  async "images: a good one, bad ones, an unknown one"(page) {
    await drop(page, "something.bin", readFileSync(path.join(root, "roms/duskrain.bin")));
    await until(page, () => sixerPage.info.game === "duskrain" && !sixerPage.image.id);
    await running(page);
    const before = await frames(page);
    await drop(page, "letter.txt", Buffer.from("Dear Sir or Madam"));
    await message(page, /no cartridge image|too small|bytes|cartridge/);
    await until(page, (n) => sixerPage.status.frames > n && sixerPage.info.game === "duskrain", before);
    await drop(page, "empty.bin", Buffer.alloc(0));
    await message(page, /empty|cartridge|image/);
    const unknown = Buffer.alloc(4096, 0xea);
    unknown.set([0x4c, 0x00, 0xf0], 100);
    unknown.set([0x00, 0xf0], 4092);
    await drop(page, "unknown.bin", unknown);
    await message(page, /no rules for it/);
    await page.setInputFiles("#chooser", { name: "hedgelight.a26", mimeType: "application/octet-stream", buffer: readFileSync(path.join(root, "roms/hedgelight.bin")) });
    await until(page, () => sixerPage.info.game === "hedgelight");
    await choose(page, "hedgelight");
  },

  async "sound on and off, by key and by mouse; it does not run dry"(page) {
    await choose(page, "sporefall");
    if ((await state(page)).sound) await page.click("#sound");
    assert.equal((await state(page)).sound, false);
    await focusGame(page);
    await page.keyboard.press("KeyM");
    await until(page, () => sixerPage.sound.on);
    await page.waitForTimeout(1500);
    await page.evaluate(() => sixerPage.sound.askStats());
    await until(page, () => sixerPage.sound.stats);
    const stats = await page.evaluate(() => sixerPage.sound.stats);
    assert.ok(stats.filled > 0, "no samples arrive");
  },

  async "keys can be changed, are kept, and can be put back"(page) {
    await page.click("#keys");
    await page.click("[data-key=pause]");
    await page.keyboard.press("KeyZ");
    await page.keyboard.press("Escape");
    await page.reload();
    await ready(page);
    await page.click("#start");
    await focusGame(page);
    await page.keyboard.press("KeyZ");
    await until(page, () => sixerPage.paused);
    await page.keyboard.press("KeyP");
    await page.waitForTimeout(300);
    assert.equal((await state(page)).paused, true, "the old key still works");
    await page.keyboard.press("KeyH");
    await page.click("#keysdefault");
    await page.click("dialog button[value=ok]");
    await page.keyboard.press("KeyP");
    await until(page, () => !sixerPage.paused);
  },

  async "views by keys; the theme is kept"(page) {
    await focusGame(page);
    for (const [key, view] of [["Digit2", "open"], ["Digit3", "think"], ["Digit1", "play"]]) {
      await page.keyboard.press(key);
      await until(page, (wanted) => sixerPage.view === wanted, view);
    }
    const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const first = await dark();
    await page.click("#theme");
    assert.notEqual(await dark(), first);
    await page.click("#theme");
    assert.equal(await dark(), first);
  },

  async "pads"(page) {
    await choose(page, QUIET);
    await page.evaluate(() => {
      const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
      globalThis.pad = { buttons, axes: [0, 0, 0, 0] };
      navigator.getGamepads = () => [globalThis.pad];
    });
    await page.evaluate(() => (pad.axes[0] = 1));
    await until(page, () => sixerPage.status.executed === 3);
    await page.evaluate(() => ((pad.axes[0] = 0), (pad.buttons[0].pressed = true)));
    await until(page, () => sixerPage.status.executed === 1);
    await page.evaluate(() => ((pad.buttons[0].pressed = false), (pad.buttons[8].pressed = true)));
    await until(page, () => sixerPage.paused);
    await page.evaluate(() => (pad.buttons[8].pressed = false));
    // shoulders rewind and speed up; Start is a new game
    const at = await frames(page);
    await page.evaluate(() => ((pad.buttons[8].pressed = false), (pad.buttons[4].pressed = true)));
    await until(page, (n) => sixerPage.status.frames < n, at);
    await page.evaluate(() => ((pad.buttons[4].pressed = false), (pad.buttons[5].pressed = true)));
    await until(page, () => sixerPage.input.is("fast"));
    await page.evaluate(() => ((pad.buttons[5].pressed = false), (pad.buttons[9].pressed = true)));
    await until(page, () => !sixerPage.paused && sixerPage.status.episodeFrames < 200);
    await page.evaluate(() => delete navigator.getGamepads);
    await running(page);
  },

  /* ---- Open it up --------------------------------------------------------------------------------------------- */

  async "open it up: steps, beam, code"(page) {
    await choose(page, "sporefall");
    await page.waitForTimeout(500);
    await page.click("[data-view=open]");
    await page.click("#to-frame"); // pauses
    await until(page, () => sixerPage.open.record);
    const index = () => page.evaluate(() => sixerPage.open.index);
    const count = await page.evaluate(() => sixerPage.open.record.instructions);
    assert.ok(count > 1000, `${count} instructions`);
    assert.equal(await index(), count);
    await page.click("#to-back");
    await until(page, (n) => sixerPage.open.index === n - 1, count);
    await page.click("#to-line-back");
    await until(page, (n) => sixerPage.open.index < n - 1, count);
    await page.fill("#beam", "2000");
    await until(page, () => sixerPage.open.index === 2000);
    assert.match(await page.textContent("#cpu"), /PC [0-9A-F]{4} {2}A [0-9A-F]{2}/);
    await page.click("#to-next");
    await until(page, () => sixerPage.open.index === 2001 && document.querySelector(".op.now"));
    const line = await page.evaluate(() => sixerPage.open.record.lineOf[2001]);
    await page.click("#to-line");
    await until(page, (n) => sixerPage.open.record.lineOf[sixerPage.open.index] > n, line);
    const before = await frames(page);
    await page.click("#to-frame");
    await until(page, (n) => sixerPage.status.frames === n + 1 && sixerPage.open.record, before);
    assert.equal(await page.$$eval("#tia .line:not(.head)", (rows) => rows.length), 262);
  },

  async "open it up: a pixel and who made it, by mouse and by keys"(page) {
    await page.click("[data-view=open]");
    await pause(page);
    await until(page, () => sixerPage.open.record);
    const found = await page.evaluate(() => {
      const { objects } = sixerPage.open.record;
      const places = {};
      for (let i = 0; i < objects.length; i++) for (let bit = 0; bit < 6; bit++) if (objects[i] === 1 << bit) places[bit] ??= { x: i % 160, y: Math.floor(i / 160) };
      return places;
    });
    assert.ok(Object.keys(found).length >= 2, "fewer than two kinds of objects in the picture");
    const names = ["player 0", "player 1", "missile 0", "missile 1", "ball", "playfield"];
    const height = await page.evaluate(() => sixerPage.screen.height);
    for (const [bit, { x, y }] of Object.entries(found)) {
      await page.focus("#screen");
      const box = await (await page.$("#screen")).boundingBox();
      await page.mouse.click(box.x + ((x + 0.5) / 160) * box.width, box.y + ((y + 0.5) / height) * box.height);
      await until(page, (text) => document.querySelector("#pixel .pixelhead b")?.textContent === text, names[bit]);
      assert.ok((await page.$$("#pixel tr")).length >= 1, `no writes for ${names[bit]}`);
    }
    await page.focus("#screen");
    const head = await page.textContent("#pixel .pixelhead");
    await page.keyboard.press("ArrowRight");
    await until(page, (text) => document.querySelector("#pixel .pixelhead").textContent !== text, head);
    const link = await page.$("#pixel .link");
    await link.click();
    await until(page, () => document.querySelector(".op.now"));
  },

  async "open it up: memory with names, a byte is changed"(page) {
    const title = await page.getAttribute("#memory button[role=gridcell] >> nth=6", "title");
    assert.match(title, /\$86 lives/);
    await page.click("#memory button[role=gridcell] >> nth=6");
    await page.fill("#pokevalue", "03");
    await page.click("#poke");
    await until(page, () => sixerPage.open.ram[6] === 3);
    await page.click("#to-frame");
    await until(page, () => sixerPage.status.lives === 3);
    await page.focus("#memory button[role=gridcell] >> nth=0");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.title.slice(0, 3)), "$81");
  },

  async "open it up: a breakpoint stops the game there"(page) {
    const pc = await page.evaluate(() => sixerPage.open.record.pcs[1500]);
    await page.fill("#breakat", pc.toString(16));
    await page.press("#breakat", "Enter");
    await page.click("#to-run");
    await until(page, (address) => sixerPage.paused && sixerPage.open.record && sixerPage.open.record.pcs[sixerPage.open.index] === address, pc);
    await page.click("#breaks button");
    assert.equal(await page.evaluate(() => sixerPage.breakpoints.length), 0);
    assert.ok((await page.$$("#stack canvas")).length >= 1);
    assert.match(await page.textContent("#rewards"), /score \d+ · lives/);
    await page.click("[data-view=play]");
    await running(page);
  },

  /* ---- Watch it think ----------------------------------------------------------------------------------------- */

  async "watch it think: every agent decides; planners show a tree"(page) {
    await choose(page, "sporefall");
    await page.click("[data-view=think]");
    await page.waitForFunction(() => document.querySelectorAll("#agent option").length >= 8);
    await page.selectOption("#budget", "500");
    for (const agent of await page.$$eval("#agent option", (options) => options.map((one) => one.value))) {
      await page.selectOption("#agent", agent);
      await until(page, () => sixerPage.think.ready === "plan");
      await page.evaluate(() => (sixerPage.think.last = null));
      await page.click("#plan-step");
      await until(page, () => sixerPage.think.last);
      const plans = await page.evaluate((name) => sixerPage.think.agents.find((one) => one.name === name).plans, agent);
      if (plans) {
        assert.ok((await page.$$("#planbars .barrow")).length > 1, agent);
        assert.ok(await page.evaluate(() => sixerPage.think.last.tree.length > 1), agent);
      }
    }
    await page.selectOption("#agent", "rollout-iw1");
    await page.click("#plan-run");
    await until(page, () => sixerPage.think.running === "plan" && sixerPage.think.last?.status.episodeFrames > 30);
    await page.click("#plan-run");
    await page.click("#plan-new");
    await page.waitForTimeout(300);
  },

  async "watch it think: train here, save, watch; the native program knows the model"(page) {
    await page.click("[data-view=think]");
    await page.click("#tab-train");
    await page.selectOption("#train-game", "sporefall");
    await page.click("#train-run");
    await until(page, () => sixerPage.think.scores.length > 2);
    await page.click("#train-run");
    await until(page, () => !sixerPage.think.running);
    const model = await download(page, () => page.click("#train-save"));
    assert.match(sixer("info", model), /sarsa/);
    await page.click("#train-watch");
    await until(page, () => sixerPage.think.running === "model" && sixerPage.think.last);
    await page.click("#model-run");
    assert.equal((await page.$$("#modelbars .barrow")).length, await page.evaluate(() => sixerPage.think.actions.length));
    assert.match(await page.textContent("#modelbars"), /features active/);
    assert.equal((await page.$$("#modelbars .barrow.chosen")).length, 1);
    assert.equal(await page.isDisabled("#saliency"), true, "there is nothing to look at without a network");
    await page.click("#tab-train");
    await page.selectOption("#train-agent", "dqn");
    await page.click("#train-run");
    await until(page, () => /[1-9][\d,]* frames/.test(document.getElementById("trainfacts").textContent));
    await page.click("#train-run");
    await until(page, () => !sixerPage.think.running);
  },

  async "watch it think: a model of the native program, with distributions and where it looks; bad ones"(page) {
    sixer("train", "c51", "duskrain", "--preset", "quick", "--actions", "minimal", "--frames", "2k", "--evaluation", "0", "--out", path.join(work, "runs"));
    const bytes = readFileSync(path.join(work, "runs/c51_duskrain_1.checkpoint"));
    await drop(page, "c51.checkpoint", bytes);
    await until(page, () => sixerPage.think.ready === "model" && /c51/.test(document.getElementById("modelfacts").textContent));
    await page.check("#saliency");
    await page.evaluate(() => (sixerPage.think.last = null));
    await page.click("#model-step");
    await until(page, () => sixerPage.think.last?.saliency);
    assert.equal((await page.$$("#modelbars .density")).length, 4);
    assert.equal((await page.$$("#modelstack canvas")).length, 4);
    await page.click("#model-run");
    await page.waitForTimeout(500);
    await page.click("#model-run");
    await page.click("#model-new");
    // a planner, then the model again: the worker has one agent at a time
    await page.click("#tab-plan");
    await page.click("#plan-step");
    await until(page, () => sixerPage.think.ready === "plan" && sixerPage.think.last?.tree);
    await page.click("#tab-model");
    await page.evaluate(() => (sixerPage.think.last = null));
    await page.click("#model-step");
    await until(page, () => sixerPage.think.ready === "model" && sixerPage.think.last?.view);
    const damaged = Buffer.from(bytes);
    damaged[damaged.length >> 1] ^= 1;
    await drop(page, "damaged.checkpoint", damaged);
    await message(page, /damaged|checksum|section/);
    const version = Buffer.from(bytes);
    version[8] = 77;
    await drop(page, "version.checkpoint", version);
    await message(page, /version/);
    await page.click("[data-view=play]");
    await running(page);
  },
};

/* ---- A server ----------------------------------------------------------------------------------------------------- */

async function served() {
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
  const server = http.createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
    try {
      const bytes = readFileSync(path.join(folder, path.basename(name)));
      response.writeHead(200, { "content-type": types[path.extname(name)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { context, problems, close } = await browser();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await ready(page);
  await page.click("#start");
  await running(page);
  assert.equal(await page.evaluate(() => sixerPage.engine.inPage), false);
  await page.click("[data-view=think]");
  await until(page, () => sixerPage.think.ready === "plan");
  assert.deepEqual(problems, []);
  await close();
  server.close();
}

/* ---- A phone ------------------------------------------------------------------------------------------------------ */

async function phone() {
  const { context, problems, close } = await browser({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(file);
  await ready(page);
  await page.tap("#start");
  await choose(page, QUIET);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} pixels wide on a phone of 390`);
  const box = await (await page.$("#stick")).boundingBox();
  const press = (type, x, y) => page.dispatchEvent("#stick", type, { clientX: box.x + x * box.width, clientY: box.y + y * box.height, pointerId: 1, buttons: 1, isPrimary: true });
  await page.evaluate(() => (document.getElementById("stick").setPointerCapture = () => {}));
  await press("pointerdown", 0.9, 0.5);
  await until(page, () => sixerPage.status.executed === 3);
  await press("pointermove", 0.5, 0.05);
  await until(page, () => sixerPage.status.executed === 2);
  await press("pointerup", 0.5, 0.5);
  await page.dispatchEvent("#fire", "pointerdown", { pointerId: 2, buttons: 1 });
  await until(page, () => sixerPage.status.executed === 1);
  await page.dispatchEvent("#fire", "pointerup", { pointerId: 2 });
  assert.deepEqual(problems, []);
  await close();
}

/* ---- Pictures ----------------------------------------------------------------------------------------------------- */

/** As docs/pictures/make-web makes them; each has the size that docs/web.md states (test_pictures.py looks at the kept ones). */
async function pictures() {
  const target = path.join(work, "pictures");
  await takePictures(target);
  for (const view of ["play", "open", "think"]) {
    for (const [look, width, height] of LOOKS) {
      const png = readFileSync(path.join(target, `web-${view}-${look}.png`));
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height], `${view} ${look}`);
      assert.ok(png.length > 10000, `web-${view}-${look}.png has ${png.length} bytes: is it empty?`);
    }
  }
}

/* ---- All of it ---------------------------------------------------------------------------------------------------- */

let failed = 0;
const { context, problems, close } = await browser();
const page = await context.newPage();
await page.goto(file);
await ready(page);
for (const [name, test] of Object.entries({ ...tests, ...seatTests, ...troubleTests })) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  try {
    await test(page, { context });
    assert.deepEqual(problems.splice(0), [], "the console of the page is not empty");
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message.split("\n").slice(0, 6).join("\n        ")}`);
    const said = await page.$$eval(".message span", (nodes) => nodes.map((node) => node.textContent)).catch(() => []);
    if (said.length) console.log(`        the page says: ${said.join(" | ")}`);
    await page.screenshot({ path: path.join(work, `failed-${failed}.png`) }).catch(() => {});
    problems.length = 0;
    await page.evaluate(() => (sixerPage.show("play"), document.querySelector("dialog[open]")?.close())).catch(() => {}); // for the next one
    await page.evaluate(() => document.querySelectorAll(".message").forEach((node) => node.remove())).catch(() => {});
  }
}
await close();
const others = [["a phone: fingers, and nothing is wider than the screen", phone], ["the folder, from a server", served], ["the pictures of the manual can be made again", pictures]];
for (const [name, test] of others) {
  if (only && !name.includes(only)) continue;
  try {
    await test();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
if (failed) {
  console.log(`${failed} failed; pictures of the page at those moments are in ${work}`);
  process.exit(1);
}
rmSync(work, { recursive: true, force: true });
console.log("all passed");
