/* The engine: loading it, its memory, calls and errors. Everything else of the package is built on this file. */
import { codeImports } from "./code.js";
import { Files } from "./files.js";

export const files = new Files();

const codes = ["ok", "file", "cartridge", "game", "config", "flavor", "action", "state", "picture", "argument",
  "memory", "tape", "diverged"];

export class SixerError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "SixerError";
    this.code = code;
  }
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

let exports_ = null; // of the instance
let loading = null;
let crash = null; // the sentence of a call that did not come back

async function bytesOf(source) {
  if (source instanceof WebAssembly.Module || ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return source;
  const url = source instanceof URL ? source : new URL(source, globalThis.location ? globalThis.location.href : "file:///");
  if (url.protocol === "file:" && globalThis.process && globalThis.process.versions && globalThis.process.versions.node) {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new SixerError("file", `${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** What the module imports, by its own list: what it does not use need not be there, and what is not there is an error. */
export function importsOf(module) {
  const { files: own, wasi, env } = files.imports();
  env.setTempRet0 = () => {};
  env.getTempRet0 = () => 0;
  env.emscripten_notify_memory_growth = () => {};
  env._emscripten_throw_longjmp = () => {
    throw Infinity;
  };
  // a call inside a function that has called setjmp(): longjmp() is an exception that ends here
  const invoke = (index, ...values) => {
    const stack = exports_.stackSave();
    try {
      return exports_.__indirect_function_table.get(index)(...values);
    } catch (e) {
      if (e !== Infinity) throw e;
      exports_.stackRestore(stack);
      exports_.setThrew(1, 0);
      return undefined;
    }
  };
  const sources = { env, wasi_snapshot_preview1: wasi, files: own, code: codeImports(() => exports_) };
  const imports = {}, missing = [];
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = from === "env" && name.startsWith("invoke_") ? invoke : sources[from] && sources[from][name];
    if (!imports[from][name]) missing.push(`${from}.${name}`);
  }
  if (missing.length)
    throw new SixerError("file", `the engine imports ${missing.join(", ")}, which this package does not have: the .wasm file and the JavaScript must be of one version`);
  return imports;
}

async function begin(options) {
  // both names are written out, so that bundlers find the files
  const engineUrl = options.agents === false ? new URL("../sixer-play.wasm", import.meta.url) : new URL("../sixer.wasm", import.meta.url);
  const source = await bytesOf(options.wasm ?? engineUrl);
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source).catch((e) => {
    throw new SixerError("file", `the engine cannot be compiled here (${e.message}): it needs WebAssembly with SIMD, which load({ agents: false }) does without`);
  });
  const instance = await WebAssembly.instantiate(module, importsOf(module));
  exports_ = instance.exports;
  files.memory = exports_.memory;
  exports_._initialize();
  out = null;
}

export function load(options = {}) {
  loading ??= begin(options).catch((e) => {
    loading = null;
    throw e;
  });
  return loading;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/** Call a function of the engine. A trap (memory that ran out inside the C library, or a bug) is fatal: what the memory
 *  holds then is unknown, so later calls are refused. */
export function call(name, ...values) {
  if (!exports_) throw new SixerError("closed", "the engine is not loaded: await load() first");
  if (crash) throw new SixerError("crashed", crash);
  if (!exports_[name]) throw new SixerError("argument", "this engine has no agents: load() was told agents: false, or given sixer-play.wasm");
  try {
    return exports_[name](...values);
  } catch (e) {
    throw stopped(name, e);
  }
}

/** The error for a call that did not come back. */
export function stopped(name, e) {
  crash = `the engine stopped in ${name} (${e && e.message}); load the page again`;
  return new SixerError("crashed", crash);
}

/** Functions that are called for every frame are taken directly; what they throw is given to stopped(). */
export function engine() {
  if (!exports_) throw new SixerError("closed", "the engine is not loaded: await load() first");
  if (crash) throw new SixerError("crashed", crash);
  return exports_;
}

/** The error of the call that has just failed. */
export function failure() {
  const at = call("web_error_at");
  const view = new DataView(exports_.memory.buffer);
  return new SixerError(codes[view.getInt32(at, true)] ?? "argument", textAt(at + 4));
}
export function plainFailure(code) {
  return new SixerError(codes[code] ?? "argument", textAt(call("web_error_text", code)));
}
/** Call a function that returns an error code. */
export function check(name, ...values) {
  if (call(name, ...values)) throw failure();
}
/** Call a function that returns an object, or 0 if it has failed. */
export function make(name, ...values) {
  const object = call(name, ...values);
  if (!object) throw failure();
  return object;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

let out = null;
/** The numbers that the last call gave. */
export function numbers() {
  if (!out || out.buffer !== exports_.memory.buffer) out = new Float64Array(exports_.memory.buffer, call("web_out_at"), 128);
  return out;
}

const decoder = new TextDecoder(), encoder = new TextEncoder();

/** A text of the engine's; null at 0. */
export function textAt(at) {
  if (!at) return null;
  const all = new Uint8Array(exports_.memory.buffer);
  return decoder.decode(all.subarray(at, all.indexOf(0, at)));
}
export function bytesAt(at, size) { return new Uint8Array(exports_.memory.buffer, at, size); }
export function intsAt(at, count) { return Array.from(new Int32Array(exports_.memory.buffer, at, count)); }

/** Allocate memory for the time of a function: `use(at)`. */
export function withMemory(size, use) {
  const at = call("malloc", Math.max(size, 1));
  if (!at) throw new SixerError("memory", `out of memory for ${size} bytes`);
  try {
    return use(at);
  } finally {
    if (!crash) call("free", at);
  }
}
export function withBytes(bytes, use) {
  return withMemory(bytes.length, (at) => {
    bytesAt(at, bytes.length).set(bytes);
    return use(at, bytes.length);
  });
}
/** Texts for the time of a function; null and undefined become 0. */
export function withTexts(texts, use) {
  const encoded = texts.map((t) => (t === null || t === undefined ? null : encoder.encode(`${t}\0`)));
  const size = encoded.reduce((sum, t) => sum + (t ? t.length : 0), 0);
  return withMemory(size, (at) => {
    let next = at;
    return use(...encoded.map((t) => {
      if (!t) return 0;
      bytesAt(next, t.length).set(t);
      next += t.length;
      return next - t.length;
    }));
  });
}
export function withInts(values, use) {
  if (!values) return use(0, 0);
  const ints = Int32Array.from(values);
  return withMemory(ints.byteLength, (at) => {
    new Int32Array(exports_.memory.buffer, at, ints.length).set(ints);
    return use(at, ints.length);
  });
}
/** Let `fill(at)` write bytes and return them, in `into` if it is given. */
export function takeBytes(size, into, fill, Kind = Uint8Array) {
  if (into && into.length < size) throw new SixerError("argument", `the array has ${into.length} bytes; ${size} are needed`);
  return withMemory(size, (at) => {
    fill(at);
    const result = into ?? new Kind(size);
    result.set(bytesAt(at, size));
    return result;
  });
}

export function asBytes(value, what) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new SixerError("argument", `${what} must be bytes: a Uint8Array or an ArrayBuffer`);
}

/** A whole number that fits into 32 bits, or an error that names it. */
export function whole(value, what) {
  if (!Number.isInteger(value) || value < -2147483648 || value > 4294967295)
    throw new SixerError("argument", `${what} must be a whole number, not ${String(value)}`);
  return value;
}

/* ---- Objects ---------------------------------------------------------------------------------------------------- */

/* When an object is dropped, what it holds is freed: `holder` is all that is needed for that and does not refer to the
 * object itself. */
const dropped = new FinalizationRegistry((holder) => holder.free());

class Holder {
  constructor(at, destroy, needs) {
    this.at = at;
    this.destroy = destroy;
    this.needs = needs; // holders that must live as long as this one
    this.users = 1;
    for (const n of needs) n.users++;
  }
  release() {
    if (--this.users) return;
    if (this.at && !crash) this.destroy(this.at);
    this.at = 0;
    for (const n of this.needs) n.release();
  }
  free() {
    if (this.freed) return;
    this.freed = true;
    this.release();
  }
}

/** Base of all classes whose objects hold something in the engine. */
export class Held {
  #holder;
  /** `needs` are objects that this one uses: they stay alive inside the engine even if they are closed. */
  hold(at, destroy, needs = []) {
    this.#holder = new Holder(at, destroy, needs.map((n) => n.holder()));
    dropped.register(this, this.#holder, this.#holder);
  }
  holder() { return this.#holder; }
  /** Where it is in the engine's memory. */
  get at() {
    if (!this.#holder || this.#holder.freed) throw new SixerError("closed", `this ${this.constructor.name} is closed`);
    return this.#holder.at;
  }
  get closed() { return !this.#holder || !!this.#holder.freed; }
  close() {
    if (this.closed) return;
    dropped.unregister(this.#holder);
    this.#holder.free();
  }
}
