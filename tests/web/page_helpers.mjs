/* What the tests of the page share: asking it, dropping files on it, waiting. See test_page.mjs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const [folder, program] = process.argv.slice(2);
export const file = pathToFileURL(path.resolve(folder, "sixer.html")).href;
export const work = mkdtempSync(path.join(os.tmpdir(), "sixer-page-"));
export const only = process.env.SIXER_ONLY;

export const state = (page) => page.evaluate(() => {
  const { paused, view, status, info, image, speed, input, sound } = sixerPage;
  return { paused, view, status, game: info?.game, image: image?.id, speed, switches: input.switches, sound: sound.on, past: status?.episodeFrames };
});
export const until = (page, test, argument) => page.waitForFunction(test, argument, { timeout: 60000 });
export const message = async (page, pattern) => {
  await until(page, (source) => [...document.querySelectorAll(".message span")].some((node) => new RegExp(source, "i").test(node.textContent)), pattern.source);
  await page.evaluate(() => document.querySelectorAll(".message").forEach((node) => node.remove()));
};
export const screen = (page) => page.evaluate(() => {
  const canvas = document.getElementById("screen");
  const { data } = canvas.getContext("2d").getImageData(0, 0, 160, canvas.height);
  let sum = 0;
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) {
    const color = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    colors.add(color);
    sum = (Math.imul(sum, 31) + color) | 0;
  }
  return { sum, colors: colors.size };
});
export const frames = async (page) => (await state(page)).status.frames;
export const ready = async (page) => {
  await until(page, () => globalThis.sixerPage?.playing && sixerPage.play.filled);
};
export const focusGame = (page) => page.focus("#screen");
export const drop = (page, name, bytes) => page.evaluate(([name_, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name_));
  for (const type of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}, [name, Buffer.from(bytes).toString("base64")]);
export const download = async (page, click) => {
  const [got] = await Promise.all([page.waitForEvent("download"), click()]);
  const target = path.join(work, got.suggestedFilename());
  await got.saveAs(target);
  return target;
};
export const sixer = (...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
/* Whether the game is paused is asked and changed in one go, inside the page: between a question and a click, an answer of the
 * engine may have changed it. A game that is over runs no frames. */
export const running = async (page) => {
  const before = await page.evaluate(() => {
    if (sixerPage.paused) document.getElementById("pause").click();
    if (sixerPage.status.over) sixerPage.command("new");
    return sixerPage.status.over ? -1 : sixerPage.status.frames;
  });
  await until(page, (n) => !sixerPage.status.over && sixerPage.status.frames > n, before);
};
export const pause = async (page) => {
  await page.evaluate(() => sixerPage.paused || document.getElementById("pause").click());
  await settled(page);
};
/** Everything that was asked of the engine is answered: requests are carried out in order. */
export const settled = (page) => page.evaluate(async () => sixerPage.shown(await sixerPage.call("show")));
/** Open a game anew; it is another object than the one that may be open. */
export const choose = async (page, id) => {
  await page.evaluate(() => (sixerPage.image = null));
  await page.click(`[data-game=${id}]`);
  await until(page, (game) => sixerPage.image?.id === game && !sixerPage.paused, id);
};
/* Nobody dies in Undervault without moving for over five minutes. Where the hands do nothing for long, other games end, and after the
 * end no action is executed. */
export const QUIET = "undervault";
