# Turn files into C arrays, so that the library finds its data wherever it is installed. Run as a script:
#   cmake -DOUTPUT=out.c -DSYMBOL=name -DROOT=folder "-DFILES=a.csv;b.toml" -P embed_files.cmake
# makes `const struct embedded_file SYMBOL[]` (src/util/embedded.h), ended by a NULL name; names are relative to ROOT. Each array ends with
# a zero byte that is not counted in its size.
set(arrays "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char file_${index}[] = {\n${hex}0x00};\n")
  string(APPEND table "    {\"${file}\", (const char *)file_${index}, ${size}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/embed_files.cmake from files of the source tree: do not edit. */\n#include \"util/embedded.h\"\n\n"
     "${arrays}\nextern const embedded_file ${SYMBOL}[];\nconst embedded_file ${SYMBOL}[] = {\n${table}    {0, 0, 0},\n};\n")
