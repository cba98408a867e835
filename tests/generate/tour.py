"""For every cartridge type a program that uses all its parts, in order: each bank, by reading and by writing its
hotspot; each window; each byte of the memory on the cartridge, through its ports.

`tour(kind)` makes the image. The same code is in every bank, at 0xC00..0xFC0 of the window, so that it runs on after a
switch; all other bytes depend on the bank and the address. The bytes that are read are summed at 0x80..0x9F, one sum
for each kind of access, and shown on the screen.
"""

from .banks import SIGNATURES, SIZES
from .code import *

POINTER, SUM, COUNT, TARGET = 0xA0, 0x80, 0xA2, 0xA4
CODE = 0xC00
# places of the window whose bytes are looked at after each switch
LOOK = (0x000, 0x0C5, 0x1FA, 0x3F0, 0x401, 0x5D3, 0x7FE, 0x802, 0x8AB, 0x9F7, 0xB10)
BANKED = {
    "F8": (0xFF8, 0xFF9),
    "F8SC": (0xFF8, 0xFF9),
    "F6": (0xFF6, 0xFF9),
    "F6SC": (0xFF6, 0xFF9),
    "F4": (0xFF4, 0xFFB),
    "F4SC": (0xFF4, 0xFFB),
    "FASC": (0xFF8, 0xFFA),
    "E0": (0xFE0, 0xFF7),
    "E7": (0xFE0, 0xFEB),
    "DPC": (0xFF8, 0xFF9),
}
# memory on the cartridge: write port, read port, length
PORTS = {
    "F8SC": ((0x000, 0x080, 128),),
    "F6SC": ((0x000, 0x080, 128),),
    "F4SC": ((0x000, 0x080, 128),),
    "FASC": ((0x000, 0x100, 256),),
    "CV": ((0x400, 0x000, 1024),),
    "3E": ((0x400, 0x000, 1024),),
    "E7": ((0x000, 0x400, 1024), (0x800, 0x900, 256)),
}


def add(c, place):
    """Stir A into the sum at `place`."""
    c.emit(0x18).zp(0x65, SUM + place).emit(0x2A, 0x69, 0x1D).sta(SUM + place)


def look_around(c, place):
    """Stir bytes of all windows into a sum. A subroutine."""
    at = c.here
    for offset in LOOK:
        c.abs(0xAD, 0xF000 + offset)
        add(c, place)
    c.emit(0x60)
    return at


def visit(c, look, address, place):
    """Read the hotspot, look around, write to it, look again."""
    c.abs(0xAD, address)
    add(c, place)
    c.abs(0x20, look)
    c.abs(0x8D, address).abs(0x20, look)


def memory_tour(c, write, read, length):
    """Write a pattern through one port and sum it up through the other, page by page; also through the wrong ports."""
    for start in range(0, length, 256):
        count = min(256, length - start)
        c.ldx(0)
        at = c.here
        c.emit(0x8A, 0x49, 0x5A ^ start >> 8).zp(0x45, FRAME).abs(0x9D, 0xF000 + write + start)
        c.emit(0xE8, 0xE0, count & 0xFF).branch(0xD0, at)
        c.ldx(0)
        at = c.here
        c.abs(0xBD, 0xF000 + read + start)
        add(c, 0x10)
        c.emit(0xE8, 0xE0, count & 0xFF).branch(0xD0, at)
    c.abs(0xAD, 0xF000 + write + 5)
    add(c, 0x11)
    c.store(0x77, 0xF000 + read + 5)
    c.abs(0xAD, 0xF000 + read + 5)
    add(c, 0x12)


def switches(c, kind, look):
    """Every bank of the type."""
    if kind in BANKED:
        low, high = BANKED[kind]
        for address in range(low, high + 1):
            visit(c, look, 0xF000 + address, address & 0x0F)
    elif kind == "MB":
        c.store(18, COUNT)  # sixteen banks and two more
        at = c.here
        visit(c, look, 0xFFF0, 1)
        c.loop_on(COUNT, at)
    elif kind == "UA":
        for address in (0x220, 0x240, 0x220, 0x2220, 0x241):
            visit(c, look, address, address & 0x0F | address >> 6 & 7)
    elif kind in ("3F", "3E"):
        for value in (0, 1, 2, 3, 4, 7, 255):
            c.store(value, 0x3F)
            c.abs(0x20, look)
            c.zp(0xA5, 0x10)  # reads of the first page return bytes of the cartridge
            add(c, 2)
        c.store(1, 0xF03F)  # the same through the window
        c.abs(0x20, look)
        if kind == "3E":
            for value in (0, 1, 31, 33):
                c.store(value, 0x3E)
                c.abs(0x20, look)
    elif kind == "FE":
        for address in (0xD123, 0xF123, 0x9456, 0xB456, 0x1789, 0x3789):
            c.abs(0xAD, address)
            add(c, 3)


def dpc_tour(c):
    """Each fetcher: limits, counter, then reads of all functions; random numbers; music."""
    c.ldx(7)
    at = c.here
    for register, value in ((0x40, 0x30), (0x48, 0x20), (0x50, 0x38), (0x58, 0x05)):
        c.emit(0x8A, 0x49, value).abs(0x9D, 0xF000 + register)  # TXA, EOR
    for register in (0x08, 0x10, 0x38, 0x00, 0x18, 0x08, 0x10):
        c.abs(0xBD, 0xF000 + register)
        add(c, 0x0A)
    c.emit(0xCA).branch(0x10, at)
    for fetcher in (5, 6, 7):
        c.store(0x10, 0xF058 + fetcher)
    for _ in range(4):
        c.abs(0xAD, 0xF004)
        add(c, 8)
        c.wsync(3)
    c.store(0, 0xF070)  # the random register starts again


def tour(kind):
    c = Code(0xF000 + CODE)
    c.emit(0x78, 0xD8).ldx(0xFF).emit(0x9A)
    frame = c.here
    c.store(2, VSYNC).wsync(3).store(0, VSYNC)
    c.zp(0xE6, FRAME).stay_alive()
    main = c.here + 3
    # the subroutine stands between; jump over it
    jump = len(c.bytes)
    c.abs(0x4C, 0)
    look = look_around(c, 0x14)
    main = c.here
    c.bytes[jump + 1 : jump + 3] = bytes((main & 0xFF, main >> 8))
    switches(c, kind, look)
    if kind == "DPC":
        dpc_tour(c)
    for write, read, length in PORTS.get(kind, ()):
        if kind == "E7" and write == 0:
            c.abs(0xAD, 0xFFE7)
        if kind == "E7" and write:
            for bank in (3, 1, 0, 2):  # four memory banks of 256 bytes, each with its own contents
                c.abs(0xAD, 0xFFE8 + bank).store(0x40 + bank, 0xF810).abs(0xAD, 0xF910)
                add(c, 0x13)
        if kind == "3E":
            c.store(2, 0x3E)
        if length == 1024:  # one page is enough to keep the code short; its ends are looked at
            c.emit(0xA9, 0x66).abs(0x8D, 0xF000 + write + 1023).abs(0xAD, 0xF000 + read + 1023)
            add(c, 0x15)
            length = 256
        memory_tour(c, write, read, length)
    for place in range(0x16):
        c.zp(0xA5, SUM + place).sta(COLUBK).wsync(2)
    c.wsync(40)
    c.abs(0x4C, frame)
    if len(c.bytes) > 0xFC0 - CODE:
        raise ValueError(f"the tour of {kind} is too long: {len(c.bytes)}")

    size = SIZES[kind]
    program = 8192 if kind == "DPC" else size
    image = bytearray((at * 11 + (at >> 8) * 37 + (at >> 12) * 101 + 5) & 0xFF for at in range(size))
    # where the code must stand: in each 4K bank, or in the last part when that is fixed in the window
    ends = {"2K": (2048,), "CV": (4096,), "E0": (8192,), "E7": (16384,), "3F": (8192,), "3E": (8192,)}
    for end in ends.get(kind, range(4096, program + 1, 4096)):
        at = end - 4096 + CODE
        image[at : at + len(c.bytes)] = c.bytes
        image[end - 6 : end] = bytes((0x00, 0xFC)) * 3
    if kind in ("F8SC", "F6SC", "F4SC"):
        for bank in range(0, program, 4096):
            image[bank : bank + 256] = bytes((bank >> 12,)) * 256
    if kind == "E7":
        image[0x3800:0x3A00] = b"\xff" * 0x200
    if kind in SIGNATURES:
        sign = bytes(SIGNATURES[kind])
        image[program - 64 + 2 : program - 64 + 2 + len(sign)] = sign
    return bytes(image)
