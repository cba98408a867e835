# Copy the definitions of games without comments and needless white space, for where size counts: the download of the web.
# Run by the build as `cmake -D ROOT=... -D OUTPUT=... -P strip_games.cmake`. What a definition means, and its hash on
# tapes, stay the same.
foreach(folder games roms)
  file(GLOB files ${ROOT}/${folder}/*.game)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(REGEX REPLACE "#[^\n]*" "" text "${text}")
    string(REGEX REPLACE "[ \t]+" " " text "${text}")
    string(REGEX REPLACE "(^|\n) " "\\1" text "${text}")
    string(REGEX REPLACE " ?\n[\n ]*" "\n" text "${text}")
    file(WRITE ${OUTPUT}/${folder}/${name} "${text}")
  endforeach()
endforeach()
