/* Pictures of the page for the manual, with a game of ours: every view, light, dark and on a phone. docs/pictures/make-web runs
 *
 *     node page_pictures.mjs PAGE FOLDER
 *
 * with the folder of the built page, and test_page.mjs makes them too. */
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { browser } from "./browser.mjs";
import { choose, file, ready, until, work } from "./page_helpers.mjs";

/* name, size of the picture, pixels of the picture for one of the page */
export const LOOKS = [["light", 1020, 675, 0.75], ["dark", 1020, 675, 0.75], ["narrow", 390, 800, 1]];

export async function takePictures(target) {
  mkdirSync(target, { recursive: true });
  for (const [look, width, height, scale] of LOOKS) {
    const { context, close } = await browser({ viewport: { width: width / scale, height: height / scale }, deviceScaleFactor: scale, colorScheme: look === "light" ? "light" : "dark" });
    const page = await context.newPage();
    await page.goto(file);
    await ready(page);
    await choose(page, "sporefall");
    await page.keyboard.down("Space");
    await until(page, () => sixerPage.status.episodeFrames > 150);
    await page.keyboard.up("Space");
    await page.screenshot({ path: path.join(target, `web-play-${look}.png`) });
    await page.click("[data-view=open]");
    await page.click("#to-frame");
    await until(page, () => sixerPage.open.record);
    const place = await page.evaluate(() => {
      const { objects } = sixerPage.open.record;
      const at = objects.findIndex((bits, i) => bits === 1 && i > 160 * 60);
      return { x: at % 160, y: Math.floor(at / 160) };
    });
    await page.evaluate((at) => sixerPage.open.pick(at), place);
    await page.fill("#beam", "2600");
    await page.waitForTimeout(800);
    await page.screenshot({ path: path.join(target, `web-open-${look}.png`) });
    await page.click("[data-view=think]");
    await page.waitForFunction(() => document.querySelectorAll("#agent option").length >= 8);
    await page.waitForTimeout(500);
    for (let i = 0; i < 3; i++) {
      await page.evaluate(() => (sixerPage.think.last = null));
      await page.click("#plan-step");
      await until(page, () => sixerPage.think.last);
    }
    await page.waitForTimeout(500);
    await page.screenshot({ path: path.join(target, `web-think-${look}.png`) });
    await close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await takePictures(path.resolve(process.argv[3]));
  rmSync(work, { recursive: true, force: true });
}
