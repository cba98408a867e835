/* Functions that the engine may import although neither its own C code nor Emscripten has them: lib/files.js provides them. The
 * linker reads the names only. It refuses every other function that is missing, and imports.mjs every import that lib/ does not
 * provide. */
mergeInto(LibraryManager.library, {
  drop: function () {},
  getrandom: function () {},
  open: function () {},
  publish: function () {},
  take: function () {},
});
