/* Compare what an engine imports with what lib/ provides: `node imports.mjs ENGINE.wasm` fails and names what is missing. The build
 * runs it after linking. */
import { readFileSync } from "node:fs";
import { importsOf } from "./lib/engine.js";

const [file] = process.argv.slice(2);
try {
  importsOf(new WebAssembly.Module(readFileSync(file)));
} catch (error) {
  console.error(`${file}: ${error.message}`);
  process.exit(1);
}
