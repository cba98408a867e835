/* Figures of the page in Chromium: what is downloaded, how long the first picture takes, and how many frames are late in
 * a minute of play with sound and the inspector open.
 *
 *     scripts/web && node bench/web_page.mjs [SECONDS]
 *
 * A frame is late if it is not shown at the refresh of the display at which it was due. */
import { gzipSync, brotliCompressSync } from "node:zlib";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { browser, root } from "../tests/web/browser.mjs";

const folder = path.resolve(process.env.SIXER_PAGE ?? path.join(root, "build/web/page"));
const seconds = Number(process.argv[2] ?? 60);
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;

const single = readFileSync(path.join(folder, "sixer.html"));
console.log(`sixer.html: ${kilobytes(single.length)}, gzip ${kilobytes(gzipSync(single, { level: 9 }).length)}, brotli ${kilobytes(brotliCompressSync(single).length)}`);
let gzip = 0, brotli = 0;
for (const name of readdirSync(folder).filter((one) => one !== "sixer.html")) {
  const bytes = readFileSync(path.join(folder, name));
  gzip += gzipSync(bytes, { level: 9 }).length;
  brotli += brotliCompressSync(bytes).length;
}
console.log(`folder: gzip ${kilobytes(gzip)}, brotli ${kilobytes(brotli)}`);

const url = pathToFileURL(path.join(folder, "sixer.html")).href;
const { context, close } = await browser();
const page = await context.newPage();
const times = [];
for (let i = 0; i < 5; i++) {
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-picture").length);
  times.push(await page.evaluate(() => performance.getEntriesByName("first-picture")[0].startTime));
}
times.sort((a, b) => a - b);
console.log(`first picture: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms (5 times, sorted)`);

await page.waitForFunction(() => sixerPage.play.filled);
await page.click("#start");
await page.waitForFunction(() => sixerPage.sound.on);
await page.keyboard.press("KeyR"); // RESET: from now on the console goes on after the end of a game
await page.click("[data-view=open]");
await page.waitForTimeout(3000);
await page.evaluate(() => {
  sixerPage.clock.late = sixerPage.clock.shown = 0;
  globalThis.before = sixerPage.status.frames;
});
await page.waitForTimeout(1000 * seconds);
await page.evaluate(() => sixerPage.sound.askStats());
await page.waitForTimeout(200);
const { late, shown, dry, refresh } = await page.evaluate(() => ({
  late: sixerPage.clock.late, shown: sixerPage.status.frames - globalThis.before, dry: sixerPage.sound.stats?.dry, refresh: sixerPage.clock.refresh(),
}));
console.log(`${seconds} s with sound and inspector: ${shown} frames, ${late} late, sound ran dry for ${dry} samples; a refresh takes ${refresh?.toFixed(2)} ms`);
await close();
