"""Random cartridges of 4K that draw: frames with a plausible structure and lines full of writes to the TIA.

`kernel(seed)` makes one; its style follows from the seed. What they store in memory (collisions, inputs, timers) and
what they show are compared between implementations, so whatever a kernel does is a valid test.
"""

from .code import *
from .stream import Stream

# fmt: off
STYLES = ("dense", "dense", "dense", "dense", "hmove", "hmove", "star", "strobes", "frames", "delays", "lines",
          "sprites")
# fmt: on


def burst(c, s, n):
    for _ in range(n):
        random_instruction(c, s)


def set_up(c, s):
    """Stack, flags, and registers that make something visible from the first frame on."""
    c.emit(0x78, 0xD8).ldx(0xFF).emit(0x9A)
    c.store(0, VSYNC)
    for register in (COLUP0, COLUP1, COLUPF, COLUBK):
        c.store(s.byte(), register)
    # fmt: off
    for register in (NUSIZ0, NUSIZ1, CTRLPF, GRP0, GRP1, PF0, PF1, PF2, ENAM0, ENAM1, ENABL, HMP0, HMP1, HMM0, HMM1,
                     HMBL, VDELP0, VDELP1, VDELBL):
        if s.chance(60):
            c.store(visible_value(s), register)
    # fmt: on
    for register in STROBES:
        c.sleep(s.between(2, 14))
        c.sta(register)


def vertical_sync(c, s, odd=False):
    c.store(2, VSYNC)
    lines = s.pick((0, 1, 2, 3, 3, 4)) if odd else 3
    if lines:
        c.wsync(lines)
    if odd and s.chance(40):
        c.sleep(s.between(2, 60))
    c.store(0, VSYNC)


def wait(c, s, lines):
    """Let so many lines pass, by WSYNC or by the timer."""
    if lines <= 0:
        return
    if s.chance(50) or lines > 200:
        c.wsync(min(lines, 255))
        return
    c.store(max(1, lines * 76 // 64), TIM64T)
    burst(c, s, s.below(8))
    at = c.here
    c.abs(0xAD, INTIM).branch(0xD0, at)


def keep_results(c, s):
    """Collisions and inputs into memory."""
    for register in range(14):
        if s.chance(70):
            c.zp(0xA5, register | s.pick((0, 0x30)))
            if s.chance(30):
                c.zp(0x45, 0xA0 + register)
            c.sta(0xA0 + register)
    for at, register in enumerate((SWCHA, SWCHB, INTIM, INSTAT)):
        c.abs(0xAD, register).sta(0xB0 + at)
    if s.chance(60):
        c.sta(CXCLR)


def dense_line(c, s):
    if s.chance(75):
        c.sta(WSYNC)
    if s.chance(25):
        c.sleep(s.between(2, 12))
    if s.chance(20):
        c.sta(HMOVE)
    burst(c, s, s.between(4, 18))


def hmove_line(c, s):
    """HMOVE at some cycle, strobes soon after it, then objects drawn."""
    c.sta(WSYNC)
    if s.chance(30):
        c.store(s.byte(), s.pick((HMP0, HMP1, HMM0, HMM1, HMBL)))
    delay = s.below(70)
    if delay != 1:
        c.sleep(delay)
    c.sta(HMOVE)
    for _ in range(s.below(4)):
        c.sleep(s.pick((2, 3, 4, 5, 6, 7, 9, 15, 17)))
        c.sta(s.pick(STROBES + (NUSIZ0, NUSIZ1, RESMP0, RESMP1, HMCLR, HMOVE)))
    burst(c, s, s.below(4))


def strobe_after_hmove_line(c, s):
    """The exact distances between HMOVE and a strobe at which the reference makes exceptions, and their neighbors."""
    strobe, delta, hpos = s.pick(
        (
            (RESM0, 60, 69),
            (RESM1, 9, 18),
            (RESBL, 54, 60),
            (RESBL, 54, 69),
            (RESBL, 9, 18),
            (RESBL, 21, 30),
            (RESBL, 18, 27),
        )
    )
    cycles = max(0, (hpos - delta) // 3 + s.between(-1, 1))
    gap = delta // 3 + s.between(-1, 1)
    c.sta(WSYNC)
    if cycles - 3 >= 2 or cycles == 3:  # the store itself ends three cycles later
        c.sleep(cycles - 3)
    c.sta(HMOVE)
    if gap - 3 >= 2 or gap == 3:
        c.sleep(gap - 3)
    c.sta(strobe)
    burst(c, s, s.below(5))


def star_line(c, s):
    """HMM0 written 21 cycles after HMOVE: the moving stars of one old game; also one cycle beside it."""
    c.store(0x70 if s.chance(80) else s.byte(), HMM0)
    c.sta(WSYNC)
    c.sta(HMOVE)
    c.lda(0x60 if s.chance(80) else s.byte())
    c.sleep(21 - 2 - 3 + (s.between(-1, 1) if s.chance(25) else 0))
    c.sta(HMM0)
    c.wsync(s.between(2, 40))
    if s.chance(50):
        burst(c, s, s.below(6))


def strobe_line(c, s):
    """A player positioned again and again on one line, in all copy modes."""
    c.sta(WSYNC)
    if s.chance(50):
        c.store(s.below(8) | s.pick((0, 0x10, 0x20, 0x30)), s.pick((NUSIZ0, NUSIZ1)))
    for _ in range(s.between(1, 7)):
        delay = s.below(16)
        if delay != 1:
            c.sleep(delay)
        c.sta(s.pick(STROBES))
        if s.chance(25):
            c.store(s.below(8) | s.pick((0, 0x10, 0x20, 0x30)), s.pick((NUSIZ0, NUSIZ1)))


def delay_line(c, s):
    """Register after register at every phase of the line, each only 3 cycles after the one before."""
    c.sta(WSYNC)
    delay = s.below(24)
    if delay != 1:
        c.sleep(delay)
    c.lda(visible_value(s)).ldx(visible_value(s)).emit(0xA0, visible_value(s))
    for _ in range(s.between(3, 14)):
        c.zp(s.pick((0x85, 0x86, 0x84)), s.weighted(WRITE_WEIGHTS))


def edge_line(c, s):
    """Writes around the end of a line, where the reference is lazy: 70 to 78 cycles after the last WSYNC."""
    c.sta(WSYNC)
    c.lda(visible_value(s)).ldx(visible_value(s))
    c.sleep(s.between(60, 68))
    for _ in range(s.between(1, 5)):
        # fmt: off
        c.zp(s.pick((0x85, 0x86)), s.pick((CTRLPF, RESP0, RESP1, NUSIZ0, NUSIZ1, HMOVE, PF0, PF1, WSYNC, GRP0, REFP0,
                                           VBLANK, COLUBK, RESM0, RESBL, HMM0)))
        # fmt: on


def sprite_line(c, s):
    """What a game does: both graphics from the image, delayed, at a few positions of the line."""
    c.sta(WSYNC)
    for register in (GRP0, GRP1, GRP0, GRP1, ENAM0, ENAM1, ENABL):
        if s.chance(70):
            c.abs(s.pick((0xB9, 0xBD)), 0xF800 + s.below(0x700)).sta(register)
    c.zp(0xC6, 0x80 + s.below(4)).zp(0xA4, 0x80 + s.below(4))
    if s.chance(20):
        c.sta(HMOVE)


LINE_MAKERS = dict(
    dense=(dense_line,),
    hmove=(hmove_line, hmove_line, strobe_after_hmove_line),
    star=(star_line, dense_line),
    strobes=(strobe_line,),
    frames=(dense_line,),
    delays=(delay_line,),
    lines=(edge_line,),
    sprites=(sprite_line, sprite_line, dense_line),
)


def picture(c, s, style, lines):
    """The visible part: bodies of a few lines, each repeated."""
    while lines > 0 and len(c.bytes) < 3100:
        body = s.between(1, 6)
        times = max(1, min(255, s.pick((1, 3, 8, 20, lines // body))))
        c.store(times, LINES)
        at = c.here
        for _ in range(body):
            s.pick(LINE_MAKERS[style])(c, s)
        c.loop_on(LINES, at)
        lines -= times * body


def kernel(seed):
    s = Stream("kernel", seed)
    style = s.pick(STYLES)
    odd = style == "frames" or s.chance(12)
    c = Code()
    set_up(c, s)
    top = c.here
    vertical_sync(c, s, odd)
    c.zp(0xE6, FRAME).stay_alive()
    c.store(s.pick((2, 2, 0x42, 0x82, 0)), VBLANK)
    wait(c, s, s.pick((0, 10, 40, 100)) if odd else s.between(28, 40))
    keep_results(c, s)
    c.store(s.pick((0, 0, 0, 0x40)), VBLANK)
    total = s.pick((20, 120, 300, 400)) if odd else s.pick((180, 192, 192, 200, 228, 260))
    picture(c, s, style, total)
    if s.chance(70):
        c.store(2, VBLANK)
    burst(c, s, s.below(12))
    keep_results(c, s)
    wait(c, s, s.pick((0, 0, 5, 60)) if odd else s.between(20, 34))
    if odd and s.chance(20):
        c.sleep(s.between(2, 75))
    c.abs(0x4C, top)
    image = bytearray(c.image(4096))
    used = len(c.bytes)
    image[used:4090] = s.bytes(4090 - used)  # data for the reads from the image
    return bytes(image)


def pal_kernel(seed):
    """As kernel(), with so many lines that the television is taken for a PAL one; odd line counts lose the color."""
    s = Stream("pal", seed)
    c = Code()
    set_up(c, s)
    top = c.here
    vertical_sync(c, s)
    c.zp(0xE6, FRAME).stay_alive()
    c.store(2, VBLANK)
    c.wsync(s.between(36, 48))
    c.store(0, VBLANK)
    picture(c, s, s.pick(("dense", "sprites", "delays", "strobes")), s.pick((228, 240, 250)))
    c.store(2, VBLANK)
    keep_results(c, s)
    c.wsync(s.between(20, 40))
    if s.chance(50):  # every second frame one line longer
        c.zp(0xA5, FRAME).emit(0x4A, 0x90, 0x02).sta(WSYNC)
    c.abs(0x4C, top)
    image = bytearray(c.image(4096))
    image[len(c.bytes) : 4090] = s.bytes(4090 - len(c.bytes))
    return bytes(image)


# opcodes after which execution is lost in random code: break, returns, jumps
LOST = bytes((0x00, 0x20, 0x40, 0x60, 0x4C, 0x6C))


def opcodes(seed):
    """Random programs: undocumented opcodes, jams, missing synchronization, interrupted frames.

    One of four is nothing but random bytes, most of which soon jam or loop. The others are slots of 64 bytes that begin
    with NOPs and count, so that they live long: any opcode, then an operand that tends to be a register or memory.
    """
    s = Stream("opcodes", seed)
    style = s.below(4)
    image = bytearray(s.bytes(4096))
    while style and len(image) < 2 * 4096:
        c = Code()
        c.emit(0xEA, 0xEA, 0xEA, 0xE6, s.pick((FRAME, 0x80 + s.below(8))))
        if s.chance(70):
            c.stay_alive()
        while len(c.bytes) < 50:
            if s.chance(55):
                opcode = s.byte()
                while opcode in JAMS or (opcode in LOST and s.chance(95)):
                    opcode = s.byte()
                if opcode & 0x1F == 0x10 and s.chance(90):  # a branch: seldom backward
                    c.emit(opcode, s.below(6))
                    continue
                c.emit(opcode, s.weighted([(4, s.below(0x40)), (4, 0x80 + s.byte() // 2), (1, s.byte())]))
                if opcode & 0x0C == 0x0C or opcode & 0x1F in (0x19, 0x1B):  # absolute
                    c.emit(s.weighted([(6, 0), (2, 2), (3, 0xF0 | s.below(16)), (1, s.byte())]))
            else:
                random_instruction(c, s)
        if s.chance(50):
            c.abs(0x4C, 0xF000 + 64 * s.below(63))
        elif s.chance(20):
            c.store(2, VSYNC).wsync(2).store(0, VSYNC)
        elif s.chance(30):
            c.sta(WSYNC)
        slot = (bytes(c.bytes) + b"\xea" * 64)[:64]
        image += slot if style > 1 else bytes(b if b not in JAMS else 0xEA for b in slot)
    image = image[-4096:]
    start = 0xF000 + s.below(0xF00)
    image[4090:] = bytes((start & 0xFF, start >> 8)) * 3
    return bytes(image)
