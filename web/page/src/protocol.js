/* The page's side of the messages to the engine.
 *
 * A request is { id, op, args }, its answer { id, value } or { id, error: { code, message } }. Requests are carried out in
 * order. An engine is
 *
 *     starting --ready--> idle --request--> busy --answer--> idle
 *         \________________ any ___ error, or no answer for too long ___/--> dead --start()--> starting
 *
 * It runs in a worker; where workers are not allowed, in the page itself, with the same messages. */
import { serve } from "./engine.js";

const SILENCE = 20000; // ms without an answer after which the worker counts as dead

export class Engine {
  /** `source`: text of the worker's script, or a URL of it. `wasm`: bytes of the engine, or a promise of
   *  them. */
  constructor({ source, url, wasm, onDeath }) {
    Object.assign(this, { source, url, wasm, onDeath });
    this.waiting = new Map();
    this.next = 1;
    this.state = "dead";
    this.inPage = false;
  }

  async start() {
    this.state = "starting";
    this.waiting.clear();
    try {
      await this.#startWorker();
    } catch (error) {
      // no workers here: the engine runs in the page
      this.inPage = true;
      this.inPageReason = error?.message || String(error);
      const handle = serve((message) => queueMicrotask(() => this.#receive(message)));
      this.send = (message) => setTimeout(() => handle(message), 0);
      this.worker = null;
    }
    const wasm = await this.wasm;
    this.state = "idle";
    await this.call("start", { wasm });
  }

  #startWorker() {
    return new Promise((resolve, reject) => {
      if (globalThis.sixerNoWorkers) throw new Error("workers are turned off");
      const url = this.url ?? URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
      const worker = new Worker(url);
      const timer = setTimeout(() => reject(new Error("the worker did not start")), 5000);
      worker.onmessage = (event) => {
        if (event.data.hello) {
          clearTimeout(timer);
          resolve();
        } else this.#receive(event.data);
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        clearTimeout(timer);
        reject(new Error(event.message || "the worker failed"));
        if (this.state !== "starting") this.die(event.message || "the worker failed");
      };
      this.worker = worker;
      this.send = (message, transfer) => worker.postMessage(message, transfer);
      worker.postMessage({ op: "hello" });
    });
  }

  #receive(message) {
    const entry = this.waiting.get(message.id);
    if (!entry) return;
    this.waiting.delete(message.id);
    if (message.error) {
      entry.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
      if (message.error.code === "crashed") this.die(message.error.message);
    } else entry.resolve(message.value);
  }

  call(op, args = {}, transfer = []) {
    if (this.state === "dead") return Promise.reject(Object.assign(new Error("The emulator has stopped."), { code: "dead" }));
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { resolve, reject, since: performance.now(), op });
      this.send({ id, op, args }, transfer);
    });
  }

  /** Called once a second by the page: has the worker stopped answering? */
  watch() {
    if (this.state === "dead" || this.inPage) return;
    for (const entry of this.waiting.values()) {
      if (performance.now() - entry.since > SILENCE && !entry.op.startsWith("think")) {
        this.die("it did not answer for 20 seconds");
        return;
      }
    }
  }

  die(reason) {
    if (this.state === "dead") return;
    this.state = "dead";
    this.worker?.terminate();
    for (const entry of this.waiting.values()) entry.reject(Object.assign(new Error(reason), { code: "dead" }));
    this.waiting.clear();
    this.onDeath?.(reason);
  }
}
