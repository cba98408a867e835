/* The side of bench/web.py that runs in Node: reads lines of JSON from the standard input, plays, and answers with a line.
 * {"open": {core, path}} opens an image for a core and answers the one that runs; {"play": {core, frames}} plays frames,
 * each drawn and copied, and answers the seconds of processor time that the process took. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { load, Env, Rom } = await import(pathToFileURL(`${process.argv[2]}/sixer.js`).href);
await load();

const envs = {}; // by core
let screen, seed = 1;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 8;

const operations = {
  open({ core, path }) {
    const rom = path.includes("/") ? Rom.fromBytes(readFileSync(path), basename(path, ".bin")) : Rom.open(path);
    envs[core]?.close();
    const env = (envs[core] = new Env(rom, { sticky: 0, seed: 1, core }));
    screen = new Uint8Array(160 * env.height);
    return env.core;
  },
  play({ core, frames }) {
    const env = envs[core], actions = env.rom.minimalActions;
    const begin = process.cpuUsage();
    for (let i = 0; i < frames; i++) {
      const { over } = env.step(actions[random() % actions.length]);
      env.screen(screen);
      if (over) env.reset();
    }
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1e6;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[name, value]] = Object.entries(JSON.parse(line));
  console.log(JSON.stringify(operations[name](value)));
}
