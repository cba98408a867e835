/* Chromium for the tests and benchmarks of the page: a new profile, no network, what the page prints and throws is kept. */
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const modules = process.env.SIXER_NODE_MODULES ?? path.join(root, "build/web/tools/node_modules");
const { chromium } = createRequire(path.join(modules, "x.js"))("playwright-core");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--autoplay-policy=no-user-gesture-required"];

export async function browser(options = {}) {
  const profile = mkdtempSync(path.join(os.tmpdir(), "sixer-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    headless: true,
    args: FLAGS,
    viewport: { width: 1360, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const problems = [];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`exception: ${error.error().stack ?? error.error()}`));
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, problems, close };
}
