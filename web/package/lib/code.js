/* Code that is made at run time: the engine translates cartridges into modules of WebAssembly (src/machine/jit_wasm.c),
 * and this file compiles them and puts their functions into the engine's table. Where a browser refuses (because it is
 * old, or does not let the main thread of a page compile so much at once), the engine goes on with its interpreter. */

/** What the engine imports. `engine()` is its exports. */
export function codeImports(engine) {
  const free = []; // places in the table that were given back
  const table = () => engine().__indirect_function_table;
  return {
    take: () => {
      try {
        return free.length ? free.pop() : table().grow(1);
      } catch {
        return 0; // the table is full
      }
    },
    publish: (place, at, size) => {
      try {
        const { memory } = engine();
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer, at, size).slice());
        const instance = new WebAssembly.Instance(module, { sixer: { memory, table: table() } });
        table().set(place, instance.exports.run);
        return 1;
      } catch {
        return 0;
      }
    },
    drop: (place) => {
      table().set(place, null);
      free.push(place);
    },
  };
}
