/* What tests/project/test_site.sh runs if the page is built: the site from the disk in Chromium, its button to the page that plays, and
 * the game that runs there. The argument is the folder of the site. */
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { browser } from "./browser.mjs";

const { context, problems, close } = await browser();
const page = await context.newPage();
const outside = [];
page.on("request", (request) => /^https?:/.test(request.url()) && outside.push(request.url()));
await page.goto(pathToFileURL(path.resolve(process.argv[2], "index.html")).href);
await page.click("a.md-button:has-text('Play in the browser')");
await page.waitForFunction(() => globalThis.sixerPage?.playing, null, { timeout: 60000 });
await page.click("#start");
await page.waitForFunction(() => sixerPage.status.frames > 10 && !sixerPage.paused, null, { timeout: 60000 });
assert.deepEqual([outside, problems], [[], []]);
await close();
console.log("the site leads to the page that plays, which runs from disk");
