/* Tests of the page with several players: two people at one keyboard, pads, agents and a model in the other seats. See
 * test_page.mjs. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { choose, download, drop, focusGame, frames, message, running, settled, sixer, until, work } from "./page_helpers.mjs";

const executed = (page, wanted) => until(page, (list) => JSON.stringify(sixerPage.status.executedOf) === list, JSON.stringify(wanted));
const seat = async (page, players, against = "people") => {
  if ((await page.inputValue("#players")) !== String(players)) await page.selectOption("#players", String(players));
  await until(page, (count) => sixerPage.seats.players === count, players);
  if (players > 1 && (await page.inputValue("#against")) !== against) await page.selectOption("#against", against);
  await settled(page);
};

export const seatTests = {
  async "several players: two people at one keyboard, each with a score"(page) {
    await choose(page, "sporefall");
    assert.equal(await page.isHidden("#seats"), true, "Sporefall is for one player");
    await choose(page, "wispherd");
    assert.deepEqual(await page.$$eval("#players option", (list) => list.map((one) => one.value)), ["1", "2"]);
    await seat(page, 2);
    await running(page);
    assert.equal(await page.evaluate(() => sixerPage.input.people), 2);
    assert.match(await page.textContent("#facts"), /^score \d+ : \d+ · lives (\d+|out) : (\d+|out)/);
    assert.match(await page.textContent("#seatnote"), /player B the arrows/);
    await focusGame(page);
    const both = [["KeyD", "ArrowLeft", [3, 4]], ["KeyA", "ArrowRight", [4, 3]], ["KeyW", "ArrowDown", [2, 5]], ["Space", "Slash", [1, 1]], ["KeyS", "Numpad8", [5, 2]]];
    for (const [a, b, wanted] of both) {
      await page.evaluate(() => sixerPage.command("new")); // nobody is out while hands rest
      await page.keyboard.down(a);
      await page.keyboard.down(b);
      await executed(page, wanted);
      await page.keyboard.up(a);
      await page.keyboard.up(b);
      await executed(page, [0, 0]);
    }
    // modes are those for two
    const modes = await page.$$eval("#mode option", (list) => list.map((one) => Number(one.value)));
    assert.deepEqual(modes, [4, 5, 6, 7, 8, 9, 10, 11]);
    await page.selectOption("#mode", "5");
    await until(page, () => sixerPage.status.mode === 5 && sixerPage.status.scores.length === 2);
  },

  async "several players: rewind, states, tapes that the native program proves, and the inspector"(page) {
    await page.click("#record");
    await page.waitForSelector("#record[aria-pressed=true]");
    await focusGame(page);
    for (const keys of [["KeyD", "ArrowLeft"], ["Space", "Slash"], ["KeyA", "ArrowUp"]]) {
      for (const key of keys) await page.keyboard.down(key);
      const at = await frames(page);
      await until(page, (n) => sixerPage.status.frames > n + 25, at);
      for (const key of keys) await page.keyboard.up(key);
    }
    await page.keyboard.press("KeyC");
    await until(page, () => /Wispherd/.test(document.querySelector("#tapelist li")?.textContent));
    const tape = await download(page, () => page.click("#tapelist li button:nth-of-type(2)"));
    assert.match(sixer("replay", tape), /verified/);
    await page.click("#tapelist li button:nth-of-type(1)");
    await message(page, /proven: all/);
    assert.equal(await page.evaluate(() => sixerPage.seats.players), 2, "the tape has two players");
    await page.click("#taketape");
    await page.waitForSelector("#taketape", { state: "hidden" });
    await running(page);
    await focusGame(page);
    const at = await frames(page);
    await until(page, (n) => sixerPage.status.frames > n + 30, at);
    const before = await frames(page);
    await page.keyboard.down("Backspace");
    await until(page, (n) => sixerPage.status.frames < n - 5 && sixerPage.status.scores, before);
    await page.keyboard.up("Backspace");
    await running(page);
    await page.keyboard.press("KeyK");
    await message(page, /saved/);
    await page.keyboard.press("KeyL");
    await settled(page);
    await page.click("[data-view=open]");
    await page.click("#to-frame");
    await until(page, () => sixerPage.open.record?.instructions > 1000);
    await page.click("[data-view=play]");
    // a native tape of two players
    const native = path.join(work, "two.tape");
    sixer("watch", "scripted", "wispherd", "--against", "random", "--record", native, "--video", path.join(work, "two.png"), "--seconds", "4");
    await drop(page, "two.tape", readFileSync(native));
    await message(page, /proven: all/);
    assert.equal(await page.evaluate(() => sixerPage.status.scores.length), 2);
  },

  async "several players: agents and a model in the other seats"(page) {
    await choose(page, "wispherd");
    await seat(page, 2);
    for (const name of ["random", "scripted", "uct", "rollout-iw1"]) {
      await seat(page, 2, name);
      await until(page, (wanted) => sixerPage.seats.against?.name === wanted, name);
      await until(page, () => sixerPage.status.executedOf?.[1] > 0); // somebody moves, and it is not us
      assert.equal(await page.evaluate(() => sixerPage.status.executedOf[0]), 0);
    }
    // one person: the arrows are player A's again
    await focusGame(page);
    await page.evaluate(() => sixerPage.command("new"));
    await page.keyboard.down("ArrowLeft");
    await until(page, () => sixerPage.status.executedOf[0] === 4);
    await page.keyboard.up("ArrowLeft");
    sixer("train", "sarsa", "wispherd", "--set", "features=ram", "--frames", "5k", "--evaluation", "0", "--out", path.join(work, "runs"));
    await drop(page, "sarsa.checkpoint", readFileSync(path.join(work, "runs/sarsa_wispherd_1.checkpoint")));
    await until(page, () => sixerPage.think.ready === "model" && sixerPage.think.modelGame === "wispherd");
    await page.click("[data-view=play]");
    await seat(page, 2, "model");
    await until(page, () => sixerPage.seats.against?.model);
    await until(page, () => sixerPage.status.executedOf?.[1] > 0);
    // the engine dies: the seats stay as they were
    await page.evaluate(() => sixerPage.engine.die("the test killed it"));
    await message(page, /has stopped/);
    await until(page, () => sixerPage.playing && sixerPage.seats.players === 2 && sixerPage.seats.against?.model);
    await running(page);
    // a state for two does not fit a game for one
    const state = readFileSync(await download(page, () => page.click("#export")));
    await seat(page, 1);
    await until(page, () => !sixerPage.status.scores);
    await drop(page, "two.state", state);
    await message(page, /as many players/);
    await running(page);
    assert.match(await page.textContent("#facts"), /^score \d+ · lives/);
  },

  async "several players: four of them, at game pads"(page) {
    await choose(page, "hearthring");
    assert.deepEqual(await page.$$eval("#players option", (list) => list.map((one) => one.value)), ["1", "2", "3", "4"]);
    await seat(page, 4);
    await page.evaluate(() => {
      globalThis.pads = Array.from({ length: 4 }, () => ({ buttons: Array.from({ length: 17 }, () => ({ pressed: false })), axes: [0, 0] }));
      navigator.getGamepads = () => globalThis.pads;
    });
    await page.evaluate(() => {
      sixerPage.command("new");
      pads[0].axes[0] = -1;
      pads[1].axes[0] = 1;
      pads[2].buttons[0].pressed = true;
      pads[3].buttons[14].pressed = true;
    });
    await executed(page, [4, 3, 1, 4]);
    assert.match(await page.textContent("#facts"), /^score \d+ : \d+ : \d+ : \d+/);
    await page.evaluate(() => delete navigator.getGamepads);
    await choose(page, "sporefall");
    assert.equal(await page.evaluate(() => sixerPage.input.people), 1);
  },
};
