/* Run a test program that was compiled to WebAssembly: node run.mjs PACKAGE PROGRAM.wasm [ARGUMENT...]. Files and
 * translated code are those of the package. Exits as the program does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [lib, program, ...rest] = process.argv.slice(2);
const { Files } = await import(pathToFileURL(join(lib, "lib/files.js")).href);
const { codeImports } = await import(pathToFileURL(join(lib, "lib/code.js")).href);

let engine = null;
const files = new Files();
const { files: own, wasi, env, missing } = files.imports();
env.setTempRet0 = env.emscripten_notify_memory_growth = () => {};

// arguments, and what is printed
const words = [program, ...rest].map((w) => new TextEncoder().encode(`${w}\0`));
const numbers = (at, values) => {
  const view = new DataView(engine.memory.buffer);
  values.forEach((value, i) => view.setUint32(at + 4 * i, value, true));
};
wasi.args_sizes_get = (count, size) => {
  numbers(count, [words.length]);
  numbers(size, [words.reduce((sum, w) => sum + w.length, 0)]);
  return 0;
};
wasi.args_get = (list, at) => {
  for (const [i, word] of words.entries()) {
    numbers(list + 4 * i, [at]);
    new Uint8Array(engine.memory.buffer, at, word.length).set(word);
    at += word.length;
  }
  return 0;
};
const { fd_write: write } = wasi;
wasi.fd_write = (fd, list, count, done) => {
  if (fd > 2) return write(fd, list, count, done);
  return files.pieces(list, count, done, (bytes) => {
    (fd === 2 ? process.stderr : process.stdout).write(bytes.slice());
    return bytes.length;
  });
};
class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}
wasi.proc_exit = (code) => {
  throw new Exit(code);
};

const code = codeImports(() => engine);
let published = 0;
const { publish } = code;
code.publish = (...values) => {
  const done = publish(...values);
  published += done;
  return done;
};
const module = new WebAssembly.Module(readFileSync(program));
const sources = { env, wasi_snapshot_preview1: wasi, files: own, code };
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = sources[from]?.[name] ?? missing;
engine = new WebAssembly.Instance(module, imports).exports;
files.memory = engine.memory;
try {
  engine._start();
} catch (e) {
  if (!(e instanceof Exit)) throw e;
  process.exitCode = e.code;
}
console.log(`${published} modules were compiled at run time`);
if (!published) process.exitCode = 1;
