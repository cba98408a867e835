/* The engine's side of the messages: a table of operations over a session (the game that is played) and a thinker (what
 * plans and learns). It runs in a worker, or in the page where workers are not allowed. */
import { load } from "sixer";
import { Session } from "./session.js";
import { Thinker } from "./thinker.js";
import { ownGames, pictureOf } from "./pictures.js";

export function serve(post) {
  const session = new Session();
  const thinker = new Thinker(session);
  let queue = Promise.resolve();

  const operations = {
    start: async ({ wasm }) => {
      await load({ wasm });
      return {};
    },
    games: () => ownGames(),
    picture: (args) => pictureOf(args),
    crash: () => {
      throw new WebAssembly.RuntimeError("the engine was told to crash");
    },
  };
  const find = (op) => {
    if (operations[op]) return operations[op];
    const [owner, name] = op.startsWith("think.") ? [thinker, op.slice(6)] : [session, op];
    if (typeof owner[name] !== "function") throw new Error(`no operation ${op}`);
    return (args) => owner[name](args);
  };

  const carryOut = async ({ id, op, args }) => {
    try {
      const value = await find(op)(args);
      const transfer = value?.transfer ?? [];
      if (value) delete value.transfer;
      post({ id, value }, transfer);
    } catch (error) {
      const crashed = error instanceof WebAssembly.RuntimeError || error.code === "crashed";
      const memory = error instanceof RangeError && /memory|allocation|length/i.test(error.message);
      const code = crashed ? "crashed" : memory ? "memory" : error.code ?? "page";
      post({ id, error: { code, message: error.message } });
    }
  };

  return (message) => {
    if (message.op === "hello") post({ hello: true });
    else queue = queue.then(() => carryOut(message));
  };
}
