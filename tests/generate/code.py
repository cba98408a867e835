"""6502 code for generated cartridges: registers of the console by name, a buffer with labels, and random instructions
that mostly do something visible."""

# ---- registers -----------------------------------------------------------------------------------------------------
# fmt: off
TIA_WRITE = dict(
    VSYNC=0x00, VBLANK=0x01, WSYNC=0x02, RSYNC=0x03, NUSIZ0=0x04, NUSIZ1=0x05, COLUP0=0x06, COLUP1=0x07, COLUPF=0x08,
    COLUBK=0x09, CTRLPF=0x0A, REFP0=0x0B, REFP1=0x0C, PF0=0x0D, PF1=0x0E, PF2=0x0F, RESP0=0x10, RESP1=0x11, RESM0=0x12,
    RESM1=0x13, RESBL=0x14, AUDC0=0x15, AUDC1=0x16, AUDF0=0x17, AUDF1=0x18, AUDV0=0x19, AUDV1=0x1A, GRP0=0x1B,
    GRP1=0x1C, ENAM0=0x1D, ENAM1=0x1E, ENABL=0x1F, HMP0=0x20, HMP1=0x21, HMM0=0x22, HMM1=0x23, HMBL=0x24, VDELP0=0x25,
    VDELP1=0x26, VDELBL=0x27, RESMP0=0x28, RESMP1=0x29, HMOVE=0x2A, HMCLR=0x2B, CXCLR=0x2C)
# fmt: on
globals().update(TIA_WRITE)
STROBES = (RESP0, RESP1, RESM0, RESM1, RESBL)
SWCHA, SWACNT, SWCHB, SWBCNT, INTIM, INSTAT = 0x280, 0x281, 0x282, 0x283, 0x284, 0x285
TIM1T, TIM8T, TIM64T, T1024T = 0x294, 0x295, 0x296, 0x297
JAMS = bytes((0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2))

FRAME, LINES = 0x9E, 0x9F  # memory that generated programs count frames and lines in

# how often a random write goes to which register: those with visible effects most often
# fmt: off
WRITE_WEIGHTS = (
    [(3, r) for r in (NUSIZ0, NUSIZ1, CTRLPF, PF0, PF1, PF2, GRP0, GRP1, ENAM0, ENAM1, ENABL)]
    + [(2, r) for r in (COLUP0, COLUP1, COLUPF, COLUBK, RESP0, RESP1, RESM0, RESM1, RESBL, REFP0, REFP1, RESMP0, RESMP1,
                        VDELP0, VDELP1, VDELBL, HMOVE)]
    + [(1, r) for r in (HMP0, HMP1, HMM0, HMM1, HMBL, HMCLR, CXCLR, VBLANK, RSYNC, WSYNC, AUDC0, AUDC1, AUDF0, AUDF1,
                        AUDV0, AUDV1, 0x2D, 0x3F)])
# fmt: on


class Code:
    """Bytes at an address, with labels."""

    def __init__(self, origin=0xF000):
        self.origin, self.bytes = origin, bytearray()

    @property
    def here(self):
        return self.origin + len(self.bytes)

    def emit(self, *values):
        self.bytes += bytes(values)
        return self

    def word(self, value):
        return self.emit(value & 0xFF, value >> 8 & 0xFF)

    def zp(self, opcode, address):
        return self.emit(opcode, address & 0xFF)

    def abs(self, opcode, address):
        return self.emit(opcode).word(address)

    def lda(self, value):
        return self.emit(0xA9, value & 0xFF)

    def ldx(self, value):
        return self.emit(0xA2, value & 0xFF)

    def sta(self, address):
        return self.zp(0x85, address) if address < 0x100 else self.abs(0x8D, address)

    def store(self, value, address):
        return self.lda(value).sta(address)

    def wsync(self, lines=1):
        """Wait for so many line ends; more than two in a loop on X."""
        if lines <= 2:
            for _ in range(lines):
                self.sta(WSYNC)
            return self
        self.ldx(lines)
        at = self.here
        return self.sta(WSYNC).emit(0xCA).branch(0xD0, at)

    def branch(self, opcode, target):
        offset = target - (self.here + 2)
        if not -128 <= offset <= 127:
            raise ValueError("branch too far")
        return self.emit(opcode, offset & 0xFF)

    def loop_on(self, counter, target):
        """DEC counter; go back to target while it is not zero, however far."""
        self.zp(0xC6, counter)
        if target - (self.here + 2) >= -128:
            return self.branch(0xD0, target)
        return self.emit(0xF0, 3).abs(0x4C, target)

    def sleep(self, cycles):
        """Pass exactly so many cycles (any but 1) without touching A, X, Y."""
        if cycles == 1:
            raise ValueError("one cycle cannot be passed")
        if cycles & 1:
            self.emit(0x24, 0x80)  # BIT zp
            cycles -= 3
        return self.emit(*[0xEA] * (cycles // 2))

    def stay_alive(self):
        """Clear bit 7 of the byte by which the borrowed rules of tetris would end the episode: LSR $F3."""
        return self.emit(0x46, 0xF3)

    def image(self, size, vectors=None):
        """The bytes filled up to `size`, with reset and break vectors at the end (the start of the code by default)."""
        if len(self.bytes) > size - 6:
            raise ValueError("code too long")
        start = self.origin if vectors is None else vectors
        body = bytes(self.bytes) + b"\xea" * (size - 6 - len(self.bytes))
        return body + bytes((start & 0xFF, start >> 8)) * 3


# ---- random instructions -------------------------------------------------------------------------------------------

READS = (0xA5, 0x05, 0x25, 0x45, 0x65, 0xC5, 0xE5, 0xA6, 0xA4, 0x24, 0xE4, 0xC4, 0xA7)
# fmt: off
IMMEDIATES = (0xA9, 0xA9, 0xA9, 0xA2, 0xA2, 0xA0, 0xA0, 0x49, 0x69, 0x09, 0x29, 0xE9, 0xC9, 0x0B, 0x4B, 0x6B, 0xCB,
              0xEB)
# fmt: on
IMPLIED = (0xEA, 0xEA, 0xE8, 0xC8, 0xCA, 0x88, 0xAA, 0xA8, 0x8A, 0x98, 0x0A, 0x4A, 0x2A, 0x6A, 0x18, 0x38, 0x1A)
MODIFY = (0xE6, 0xC6, 0x06, 0x46, 0x26, 0x66, 0x07, 0x27, 0x47, 0x67, 0xC7, 0xE7)
BRANCHES = (0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0)


def visible_value(s):
    """A byte that tends to turn things on."""
    return s.weighted(
        [
            (5, s.byte()),
            (1, 0xFF),
            (1, 0x00),
            (2, 0x02),
            (1, 0x10 << s.below(4)),
            (1, s.below(8)),
            (1, 0x30 | s.below(8)),
            (1, s.pick((0x01, 0x05, 0x07, 0x21, 0x31))),
        ]
    )


def random_write(c, s):
    """Store one of A, X, Y (or A and X) in a TIA register, in one of the ways that differ in length."""
    register = s.weighted(WRITE_WEIGHTS)
    way = s.below(20)
    if way < 14:
        c.zp(s.pick((0x85, 0x85, 0x86, 0x84)), register)
    elif way < 17:
        c.abs(s.pick((0x8D, 0x8E, 0x8C)), register | s.pick((0x000, 0x040, 0x100, 0x140)))
    elif way < 18:
        c.zp(0x87, register)  # SAX
    elif way < 19:
        c.zp(s.pick((0x95, 0x94)), register)  # plus X: some register nearby
    else:
        c.zp(s.pick(MODIFY), register)


def moving_write(c, s):
    """Something visible that follows a counter in memory, so that frames differ."""
    c.zp(s.pick((0xA5, 0xA6, 0xA4, 0xA7)), s.pick((FRAME, FRAME, 0x80 + s.below(8))))
    if s.chance(30):
        c.emit(0x49, s.byte())
    random_write(c, s)


def random_instruction(c, s):
    kind = s.below(100)
    if kind < 6:
        moving_write(c, s)
    elif kind < 38:
        random_write(c, s)
    elif kind < 56:
        c.emit(s.pick(IMMEDIATES), visible_value(s))
    elif kind < 64:
        c.emit(s.pick(IMPLIED))
    elif kind < 72:
        c.zp(s.pick(READS), 0x80 + s.below(32))
    elif kind < 76:
        c.zp(s.pick(READS), s.below(14) | s.pick((0x00, 0x30)))  # collisions and inputs
    elif kind < 80:
        c.zp(s.pick((0x85, 0x86, 0x84, 0x87)), 0x80 + s.below(16))
    elif kind < 83:
        c.zp(s.pick(MODIFY), 0x80 + s.below(16))
    elif kind < 85:
        c.abs(s.pick((0xAD, 0xAE, 0xAC, 0x2C, 0x4D)), s.pick((SWCHA, SWCHB, INTIM, INSTAT, SWACNT, 0x280 + s.below(8))))
    elif kind < 86:
        c.abs(0x8D, s.pick((TIM1T, TIM8T, TIM64T, T1024T, SWACNT)))
    elif kind < 88:
        c.emit(s.pick((0x48, 0x08, 0x68, 0x28)))  # stack
    elif kind < 89:
        c.emit(s.pick((0xF8, 0xD8, 0xD8, 0xB8)))
    elif kind < 92:
        c.abs(s.pick((0xBD, 0xB9, 0x5D, 0x79, 0xDD, 0xBF)), 0xF000 + s.below(0x1000))  # image bytes, some across pages
    elif kind < 93:
        c.zp(s.pick((0xB1, 0xA1, 0x91, 0x81)), 0x80 + s.below(32))  # through pointers that may lead anywhere
    elif kind < 95:
        c.emit(s.pick(BRANCHES), s.below(3))  # over a byte or two, sometimes into an operand
    elif kind < 97:
        c.sta(HMOVE)
    else:
        c.sleep(s.between(2, 9))
