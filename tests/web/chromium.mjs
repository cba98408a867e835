/* The package in Chromium: node chromium.mjs PACKAGE SIXER. In a worker and in the page itself, our own games are played
 * by the translator, and their traces have the digests of the native program. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { browser, root } from "./browser.mjs";

const [folder, sixer] = process.argv.slice(2).map((p) => resolve(p));
const STEPS = 300;

/** What runs in the browser. */
const script = `import { Env, Rom, games, load } from "/package/sixer.js";
import { traceDigest } from "/trace.mjs";
export async function play() {
  await load();
  return games().filter((g) => g.imageInside).map(({ id }) => {
    const env = new Env(Rom.open(id), { seed: 1, sound: true });
    const digest = traceDigest(env, { steps: ${STEPS}, hold: 3, every: 10, saveRestore: 97 });
    return { id, digest, core: env.core };
  });
}
if (!globalThis.document) play().then((r) => postMessage(r), (e) => postMessage(String(e)));`;

const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const server = createServer((request, response) => {
  const { url } = request;
  let body = "";
  if (url === "/play.mjs") body = script;
  else if (url === "/trace.mjs") body = readFileSync(join(root, "tests/web/trace.mjs"));
  else if (url.startsWith("/package/") && !url.includes("..")) body = readFileSync(join(folder, url.slice("/package/".length)));
  response.writeHead(200, { "content-type": types[extname(url)] ?? "text/html" });
  response.end(body);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const { context, problems, close } = await browser();
try {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const inWorker = await page.evaluate(() => new Promise((done) => {
    const worker = new Worker("/play.mjs", { type: "module" });
    worker.onmessage = (e) => done(e.data);
    worker.onerror = (e) => done(`worker: ${e.message}`);
  }));
  const inPage = await page.evaluate(async () => (await import("/play.mjs")).play());
  assert.ok(Array.isArray(inWorker) && inWorker.length >= 6, String(inWorker));
  for (const { id, digest, core } of [...inWorker, ...inPage]) {
    const printed = execFileSync(sixer, ["trace", id, "--steps", `${STEPS}`, "--hold", "3", "--every", "10", "--save-restore", "97",
      "--columns", "rgb,gray,sound"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    assert.equal(`# digest ${digest}`, printed.trim().split("\n").at(-1), id);
    assert.equal(core, "jit", id);
  }
  assert.deepEqual(problems.filter((p) => !p.includes("favicon")), []);
  console.log(`Chromium: ${inWorker.length} games in a worker and in the page, translated, with the native digests`);
} finally {
  await close();
  server.close();
}
