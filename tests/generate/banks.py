"""Random cartridges of every type: code in all banks that jumps, switches banks by every kind of access, and uses the
memory on the cartridge.

`bank_image(type, seed)` makes an image whose type is detected as `type`. Code is laid out in slots of 64 bytes that
begin with three NOPs, so that execution gets back to whole instructions after a bank switch in the middle of one.
"""

from .code import *
from .stream import Stream

# fmt: off
TYPES = ("2K", "4K", "F8", "F8SC", "F6", "F6SC", "F4", "F4SC", "FASC", "E0", "E7", "3F", "3E", "FE", "CV", "UA", "MB",
         "DPC")
SIZES = {"2K": 2048, "4K": 4096, "F8": 8192, "F8SC": 8192, "F6": 16384, "F6SC": 16384, "F4": 32768, "F4SC": 32768,
         "FASC": 12288, "E0": 8192, "E7": 16384, "3F": 8192, "3E": 8192, "FE": 8192, "CV": 4096, "UA": 8192,
         "MB": 65536, "DPC": 10240}
# fmt: on
# CV images of 2K are left out: their memory is filled at random, and the reference reads an uninitialized pointer for
# them and sometimes crashes.

# byte sequences by which the type is detected; each is placed once (3F twice) where it is never executed
SIGNATURES = {
    "E0": (0x8D, 0xE0, 0x1F),
    "3E": (0x85, 0x3E, 0xA9, 0x00),
    "3F": (0x85, 0x3F, 0xEA, 0x85, 0x3F),
    "UA": (0x8D, 0x40, 0x02),
    "FE": (0x20, 0x00, 0xD0, 0xC6, 0xC5),
    "CV": (0x9D, 0xFF, 0xF3),
}
ANY_ACCESS = (0xAD, 0xAE, 0xAC, 0x2C, 0x8D, 0x8E, 0x8C, 0x4D, 0xCD, 0x0C, 0xEE, 0xAF, 0x8F)
INDEXED = (0xBD, 0xB9, 0x9D, 0x99, 0xDD, 0xFE)
READ, WRITE = (0xAD, 0xAE, 0xAC, 0x4D, 0x2C), (0x8D, 0x8E, 0x8C)


def window(s, low, high):
    """An address in the cartridge's window, in one of its mirrors."""
    return s.pick((0x1000, 0x5000, 0x9000, 0xD000, 0xF000, 0xF000, 0xF000)) + s.between(low, high)


def hotspots(kind):
    return {
        "F8": (0xFF8, 0xFF9),
        "F8SC": (0xFF8, 0xFF9),
        "DPC": (0xFF8, 0xFF9),
        "F6": (0xFF6, 0xFF9),
        "F6SC": (0xFF6, 0xFF9),
        "F4": (0xFF4, 0xFFB),
        "F4SC": (0xFF4, 0xFFB),
        "FASC": (0xFF8, 0xFFA),
        "E0": (0xFE0, 0xFF7),
        "E7": (0xFE0, 0xFEB),
        "MB": (0xFF0, 0xFF0),
    }.get(kind)


def switch(c, s, kind):
    """Select another bank, if the type has any."""
    spots = hotspots(kind)
    if spots:
        if s.chance(80):
            c.abs(s.pick(ANY_ACCESS), window(s, *spots))
        else:
            index = s.below(32)
            c.emit(s.pick((0xA2, 0xA0)), index).abs(s.pick(INDEXED), window(s, *spots) - index)
    elif kind in ("3F", "3E"):
        c.emit(s.pick((0xA9, 0xA2)), s.pick((0, 1, 2, 3, s.byte())))
        c.zp(s.pick((0x85, 0x86, 0x87)), s.pick((0x3F, 0x3F, 0x3E if kind == "3E" else 0x3F, s.below(0x40))))
    elif kind == "UA":
        c.abs(s.pick(ANY_ACCESS), s.pick((0x220, 0x240, 0x220, 0x240, 0x2220, 0x241, 0x21F)))
    elif kind == "FE":
        c.abs(s.pick((0x20, 0x4C)), s.pick((0xD000, 0xF000)) + 64 * s.below(60))


def cartridge_memory(c, s, kind):
    """Use the memory on the cartridge: most often rightly, sometimes through the wrong port."""
    ports = {
        "F8SC": ((0x00, 0x7F), (0x80, 0xFF)),
        "F6SC": ((0x00, 0x7F), (0x80, 0xFF)),
        "F4SC": ((0x00, 0x7F), (0x80, 0xFF)),
        "FASC": ((0x00, 0xFF), (0x100, 0x1FF)),
        "CV": ((0x400, 0x7FF), (0x000, 0x3FF)),
        "3E": ((0x400, 0x7FF), (0x000, 0x3FF)),
    }.get(kind)
    if kind == "E7":
        ports = s.pick((((0x000, 0x3FF), (0x400, 0x7FF)), ((0x800, 0x8FF), (0x900, 0x9FF))))
    if not ports:
        return
    write, read = ports
    if s.chance(10):
        write, read = read, write
    offset = s.below(write[1] - write[0] + 1)
    if kind in ("E7", "3E") and s.chance(30):  # show that memory in the low window
        if kind == "E7":
            c.abs(0xAD, 0xFFE7)
        else:
            c.store(s.below(40), 0x3E)
    if s.chance(60):
        c.emit(0xA9, s.byte()).abs(s.pick(WRITE), 0xF000 + write[0] + offset)
    c.abs(s.pick(READ), 0xF000 + read[0] + (offset if s.chance(70) else s.below(64))).sta(0x80 + s.below(32))
    if s.chance(5):
        c.abs(s.pick((0xEE, 0xCE, 0x2F)), 0xF000 + read[0] + offset)


def dpc_access(c, s):
    if s.chance(50):
        c.abs(s.pick(READ), 0xF000 + s.below(0x40)).sta(0x80 + s.below(32))
    else:
        c.emit(0xA9, s.byte()).abs(s.pick(WRITE), 0xF040 + s.below(0x40))
    if s.chance(30):  # the music of fetchers 5 to 7
        fetcher = s.between(5, 7)
        for register, value in ((0x40, s.byte()), (0x48, s.byte()), (0x50, s.byte()), (0x58, 0x10 | s.below(8))):
            c.emit(0xA9, value).abs(0x8D, 0xF000 + register + fetcher)
    if s.chance(20):
        c.abs(0xAD, 0xF004 + s.below(4)).sta(0x80 + s.below(32))


def slot(s, kind, base):
    """64 bytes of code at `base` (an address modulo 4K)."""
    c = Code(0xF000 + base)
    c.emit(0xEA, 0xEA, 0xEA, 0xE6, s.pick((FRAME, 0x80 + s.below(8))))
    if s.chance(70):
        c.stay_alive()
    while len(c.bytes) < 46:
        what = s.below(100)
        if what < 14:
            switch(c, s, kind)
        elif what < 30:
            cartridge_memory(c, s, kind)
        elif what < 36 and kind == "DPC":
            dpc_access(c, s)
        elif what < 42:
            c.sta(WSYNC)
        elif what < 45:
            moving_write(c, s)
        else:
            random_instruction(c, s)
    if len(c.bytes) <= 57 and s.chance(40):
        targets = 0xD000 if kind == "FE" and s.chance(50) else 0xF000
        first = {"CV": 32, "2K": 0}.get(kind, 0)
        c.abs(0x4C, targets + 64 * s.between(first, 62))
    if len(c.bytes) <= 53 and s.chance(18):
        c.store(2, VSYNC).wsync(2).store(0, VSYNC)
    return (bytes(c.bytes) + b"\xea" * 64)[:64]


def frame_slot(c):
    """A frame that ends properly, 262 lines, from wherever it is entered."""
    c.emit(0xEA, 0xEA, 0xEA)
    c.store(2, VSYNC).wsync(3).store(0, VSYNC)
    return c


def bank_image(kind, seed):
    s = Stream("bank", kind, seed)
    size = SIZES[kind]
    if kind == "3F" and s.chance(40):
        size = s.pick((8192, 16384, 32768, 65536))
    if kind == "3E" and s.chance(40):
        size = s.pick((8192, 16384, 32768))
    if kind == "DPC" and s.chance(30):
        size = s.pick((10495, 10496))
    program = 8192 if kind == "DPC" else size
    image = bytearray()
    while len(image) < program:
        image += slot(s, kind, len(image) % 4096)
    for at in range(len(image)):  # a jam would end the test too early; in one of eight images it may
        if image[at] in JAMS and seed % 8:
            image[at] = 0xEA
    # each bank ends with a frame's end and vectors into its own code
    step = {"2K": 2048, "CV": 2048, "3F": 2048, "3E": 2048, "E0": 1024, "E7": 2048}.get(kind, 4096)
    for end in range(step, program + 1, step):
        code = bytes(frame_slot(Code()).bytes)
        image[end - 96 : end - 96 + len(code)] = code
        vector = s.pick((0xF800, 0xFC00, 0xFD00)) if kind not in ("2K",) else 0xF000
        if kind == "FE" and s.chance(50):
            vector -= 0x2000
        image[end - 6 : end] = bytes((vector & 0xFF, vector >> 8)) * 3
    if kind in ("F8SC", "F6SC", "F4SC"):
        for bank in range(0, program, 4096):
            image[bank : bank + 256] = bytes((s.byte(),)) * 256
    if kind == "E7":
        image[0x3800:0x3A00] = b"\xff" * 0x200
        image[0x3A00:0x3A10] = s.bytes(16)
    for other, sign in ((k, bytes(v[:3])) for k, v in SIGNATURES.items()):  # by chance it could look like another type
        while other != kind and (at := image.find(sign[:2] if other == "3F" else sign)) >= 0:
            image[at] = 0x86
    if kind in SIGNATURES:
        sign = bytes(SIGNATURES[kind])
        at = program - 64 - len(sign) - 48
        image[at : at + len(sign)] = sign
    if kind == "DPC":
        image += s.bytes(size - program)
    return bytes(image)


def any_image(seed):
    """For the detection of types: an image of some size with signatures and patterns strewn over it."""
    s = Stream("any", seed)
    # fmt: off
    size = s.pick((2048, 4096, 4096, 8192, 8192, 8192, 8192, 16384, 16384, 32768, 65536, 131072, 10240, 10495, 10496,
                   12288, 8448, 16896, 6144, 24576, 20480))
    # fmt: on
    image = bytearray(s.bytes(size))
    strewn = (
        (0x8D, 0xE0, 0x1F),
        (0x8D, 0xE0, 0x5F),
        (0x8D, 0xE9, 0xFF),
        (0xAD, 0xE9, 0xFF),
        (0xAD, 0xED, 0xFF),
        (0xAD, 0xF3, 0xBF),
        (0x85, 0x3E, 0xA9, 0x00),
        (0x85, 0x3F),
        (0x85, 0x3F, 0x85, 0x3F),
        (0x85, 0x3F, 0xEA, 0x85, 0x3F),
        (0x8D, 0x40, 0x02),
        (0x20, 0x00, 0xD0, 0xC6, 0xC5),
        (0x20, 0xC3, 0xF8, 0xA5, 0x82),
        (0xD0, 0xFB, 0x20, 0x73, 0xFE),
        (0x20, 0x00, 0xF0, 0x84, 0xD6),
        (0x9D, 0xFF, 0xF3),
        (0x99, 0x00, 0xF4),
    )
    pattern = s.below(6)
    if pattern == 1 and size % 4096 == 0:
        for bank in range(0, size, 4096):
            image[bank : bank + 256] = bytes((s.byte(),)) * 256
        if s.chance(30):
            image[s.below(size // 4096) * 4096 + s.below(256)] ^= 1
    if pattern == 2:
        image[size // 2 : size // 2 * 2] = image[: size // 2]
    if pattern == 3 and size == 16384:
        image[0x3800:0x3A00] = bytes((s.byte(),)) * 0x200
        if s.chance(30):
            image[0x37E0:0x3A20] = bytes((image[0x3800],)) * 0x240
    for _ in range(s.below(4)):
        sign = bytes(s.pick(strewn))
        at = s.pick((s.below(size - 8), size - len(sign), size - len(sign) - 1, 0, size // 2))
        image[at : at + len(sign)] = sign
    return bytes(image)
