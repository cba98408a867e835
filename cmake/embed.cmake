# Write the definitions of games/ and roms/ as C text: one array of names, texts and lengths, in alphabetical order. Run
# by the build as `cmake -D ROOT=... -D OUTPUT=... -P embed.cmake`; it needs no program of the target, so cross-builds
# work.
file(GLOB files ${ROOT}/games/*.game ${ROOT}/roms/*.game)
list(SORT files COMPARE FILE_BASENAME)
set(entries "")
foreach(file ${files})
  get_filename_component(id ${file} NAME_WE)
  file(READ ${file} hex HEX)
  file(SIZE ${file} size)
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  string(APPEND entries "    {\"${id}\", \"${text}\", ${size}},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT} "/* Written by cmake/embed.cmake from the definitions in games/ and roms/. */
#include \"games/game_builtin.h\"

const game_builtin game_builtins[] = {
${entries}};
const int game_builtin_total = ${count};
")
