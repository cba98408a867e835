/* Build the page: a static folder (index.html, page.js, worker.js, page.css, sixer.wasm) and one file with everything
 * inside, sixer.html, which opens from the disk. scripts/web calls it after the package is built.
 *
 *     node web/page/build.mjs PACKAGE OUT
 *
 * PACKAGE is the folder of the built npm package, OUT where the page goes. */
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const [pack, out] = process.argv.slice(2).map((name) => path.resolve(name));
if (!pack || !out) {
  console.error("usage: node web/page/build.mjs PACKAGE OUT   the folder of the built package, and where the page goes");
  process.exit(2);
}

// esbuild is where scripts/web has installed it
const { build } = createRequire(path.join(process.env.SIXER_NODE_MODULES ?? path.join(root, "build/web/tools/node_modules"), "x.js"))("esbuild");

/** Names of memory from the sources of our own games: { id: { address: [name, comment] } }. */
function memoryNames() {
  const names = {};
  const shared = {};
  const symbols = {};
  for (const line of readFileSync(path.join(root, "roms/console.inc"), "utf8").split("\n")) {
    const match = /^(\w+)\s+equ\s+\$([0-9A-Fa-f]+)\s*(?:;\s*(.*))?$/.exec(line);
    if (!match) continue;
    const address = parseInt(match[2], 16);
    symbols[match[1]] = address;
    if (address >= 0x80 && address <= 0xff && match[1] !== "GRAM") shared[address] = [match[1], match[3] ?? ""];
  }
  for (const file of readdirSync(path.join(root, "roms")).filter((name) => name.endsWith(".asm"))) {
    const own = { ...shared };
    const constants = { ...symbols };
    let at = null;
    for (const line of readFileSync(path.join(root, "roms", file), "utf8").split("\n")) {
      const equate = /^(\w+)\s+equ\s+(\$[0-9A-Fa-f]+|\d+)\b/.exec(line);
      if (equate) constants[equate[1]] = number(equate[2], constants);
      if (/^\s+seg\.u\s/.test(line)) at = 0x80;
      else if (/^\s+seg\s/.test(line)) at = null;
      if (at === null) continue;
      const origin = /^\s+org\s+(\S+)/.exec(line);
      if (origin) at = number(origin[1], constants);
      const variable = /^(\w+)?\s+ds\s+([\w$]+)\s*(?:;\s*(.*))?$/.exec(line);
      if (!variable) continue;
      const size = number(variable[2], constants);
      for (let i = 0; variable[1] && i < size; i++) own[at + i] = [i ? `${variable[1]}+${i}` : variable[1], variable[3] ?? ""];
      at += size;
    }
    names[file.replace(".asm", "")] = own;
  }
  return names;
}
function number(text, constants) {
  if (text.startsWith("$")) return parseInt(text.slice(1), 16);
  return /^\d+$/.test(text) ? Number(text) : constants[text] ?? 0;
}

const plugin = {
  name: "sixer",
  setup(builder) {
    builder.onResolve({ filter: /^sixer$/ }, () => ({ path: path.join(pack, JSON.parse(readFileSync(path.join(pack, "package.json"), "utf8")).main ?? "sixer.js") }));
    builder.onResolve({ filter: /names\.js$/ }, () => ({ path: "names", namespace: "generated" }));
    builder.onLoad({ filter: /.*/, namespace: "generated" }, () => ({ contents: `export const NAMES = ${JSON.stringify(memoryNames())};` }));
  },
};
const common = { bundle: true, minify: true, write: false, target: "es2022", format: "iife", plugins: [plugin], external: ["node:*"], define: { "import.meta.url": '"http://localhost/lib/"' }, logLevel: "error" };
const text = async (entry) => (await build({ ...common, entryPoints: [path.join(here, "src", entry)] })).outputFiles[0].text;

const [page, worker, css] = await Promise.all([text("main.js"), text("worker.js"), text("style.css")]);
const html = readFileSync(path.join(here, "index.html"), "utf8");
const wasm = readFileSync(path.join(pack, readdirSync(pack).includes("sixer-simd.wasm") ? "sixer-simd.wasm" : "sixer.wasm"));

mkdirSync(out, { recursive: true });
const write = (name, content) => writeFileSync(path.join(out, name), content);
const put = (style, script) => html.replace("<!-- style -->", () => style).replace("<!-- script -->", () => script);
write("index.html", put('<link rel="stylesheet" href="page.css">', '<script src="page.js"></script>'));
write("page.js", page);
write("worker.js", worker);
write("page.css", css);
write("sixer.wasm", wasm);

// a script must not contain what ends it
const safe = (script) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const engine = gzipSync(wasm, { level: 9 }).toString("base64");
const inlined = `<script>globalThis.sixerEngine=${JSON.stringify(engine)};globalThis.sixerWorker=${safe(JSON.stringify(worker))};</script>\n<script>${safe(page)}</script>`;
const single = put(`<style>${css}</style>`, inlined);
write("sixer.html", single);

const size = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;
const folder = [put("", ""), page, worker, css, wasm].reduce((sum, part) => sum + gzipSync(part, { level: 9 }).length, 0);
console.log(`page: ${path.relative(root, out)}/index.html, ${size(folder)} compressed; sixer.html ${size(single.length)}, ${size(gzipSync(single, { level: 9 }).length)} gzip, ${size(brotliCompressSync(single).length)} brotli`);
