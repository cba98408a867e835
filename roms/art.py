#!/usr/bin/env python3
"""Turn a poster drawn in text into the tables that the title screen shows.

A poster is a text file: each line has a color in two hex digits, a space and 48 characters, '#'
for a lit pixel. The output has six tables of one byte per line (8 pixels each, last line first,
because the drawing loop counts down) and one table of colors. No table crosses a page.

usage: art.py POSTER.txt > art.inc
"""

import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    rows = []
    with open(sys.argv[1], encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith(";"):
                continue
            color, pixels = line[:2], line[3:]
            if len(pixels) > 48 or set(pixels) - set("#. "):
                sys.exit(f"{sys.argv[1]}:{number}: expected a color and up to 48 of '#', '.'")
            rows.append((int(color, 16), pixels.ljust(48, ".").replace(" ", ".")))
    height = len(rows)
    if not 1 <= height <= 85:
        sys.exit(f"{sys.argv[1]}: {height} lines; 1 to 85 fit")
    print(f"; made by art.py from {sys.argv[1]}")
    print(f"POSTER_H equ {height}")
    rows.reverse()
    columns = [[int(p[8 * c : 8 * c + 8].replace("#", "1").replace(".", "0"), 2) for _, p in rows] for c in range(6)]
    columns.append([color for color, _ in rows])
    names = [f"Poster{c}" for c in range(6)] + ["PosterColor"]
    for name, column in zip(names, columns):
        # the table and the byte before it lie in one page
        print(f"        if (>. != >(.+{height})) || (<. == 0)")
        print("        if <. != 0")
        print("        align 256")
        print("        endif")
        print("        .byte 0")
        print("        endif")
        print(name)
        for i in range(0, height, 16):
            print("        .byte " + ",".join(f"${b:02X}" for b in column[i : i + 16]))


main()
