"""Read what is asked of a 64-bit Mach-O file, a program or library of macOS: processor, oldest system, libraries,
names, and the machine code of a function with the names of what it calls. Used by wheel_check.py and test_macos.py."""

from __future__ import annotations

import bisect
import struct
from pathlib import Path

MAGIC, CPU_X86_64, CPU_ARM64 = 0xFEEDFACF, 0x01000007, 0x0100000C
SYMTAB, DYSYMTAB, LOAD_DYLIB, VERSION_MIN, BUILD_VERSION, SEGMENT_64 = 0x2, 0xB, 0xC, 0x24, 0x32, 0x19
PLATFORM_MACOS, SYMBOL_STUBS = 1, 0x8
# names of the C library that older versions of macOS lack, as its headers say; the compiler warns of others
NEWER = {"_aligned_alloc": (10, 15)}


class MachO:
    def __init__(self, path: Path) -> None:
        self.bytes = path.read_bytes()
        magic, self.cpu, _, self.kind, count, size, _, _ = struct.unpack_from("<8I", self.bytes, 0)
        if magic != MAGIC:
            raise ValueError(f"{path} is no 64-bit Mach-O file")
        self.libraries: list[str] = []
        self.open: set[str] = set()  # names that other libraries have
        self.shown: set[str] = set()  # names that others may use
        self.debug = 0  # entries for debuggers
        self.oldest = (0, 0)
        self.writable_code = False
        self.names: list[str] = []  # of all symbols
        self.functions: dict[str, int] = {}  # addresses
        self.segments: list[tuple[int, int, int]] = []  # address, size, offset in the file
        self.stubs: list[tuple[int, int, int, int]] = []  # address, size, first indirect symbol, size of one
        self.indirect: tuple[int, ...] = ()
        at = 32
        for _ in range(count):
            command, length = struct.unpack_from("<2I", self.bytes, at)
            self.take(command & 0x7FFFFFFF, at)
            at += length
        if at != 32 + size:
            raise ValueError(f"{path}: its load commands have {at - 32} bytes instead of {size}")

    def text(self, at: int) -> str:
        return self.bytes[at : self.bytes.index(b"\0", at)].decode()

    def take(self, command: int, at: int) -> None:
        if command == LOAD_DYLIB:
            self.libraries.append(self.text(at + struct.unpack_from("<I", self.bytes, at + 8)[0]))
        elif command == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<2I", self.bytes, at + 8)
            if platform == PLATFORM_MACOS:
                self.oldest = (oldest >> 16, oldest >> 8 & 255)
        elif command == VERSION_MIN:
            oldest = struct.unpack_from("<I", self.bytes, at + 8)[0]
            self.oldest = (oldest >> 16, oldest >> 8 & 255)
        elif command == SEGMENT_64:
            self.take_segment(at)
        elif command == SYMTAB:
            self.take_symbols(*struct.unpack_from("<3I", self.bytes, at + 8))
        elif command == DYSYMTAB:
            offset, count = struct.unpack_from("<2I", self.bytes, at + 56)
            self.indirect = struct.unpack_from(f"<{count}I", self.bytes, offset)

    def take_segment(self, at: int) -> None:
        address, _, offset, size, most, first, sections, _ = struct.unpack_from("<4Q4I", self.bytes, at + 24)
        self.writable_code |= any(p & 2 and p & 4 for p in (most, first))
        self.segments.append((address, size, offset))
        for i in range(sections):
            section = at + 72 + 80 * i
            address, size = struct.unpack_from("<2Q", self.bytes, section + 32)
            flags, reserved1, reserved2 = struct.unpack_from("<3I", self.bytes, section + 64)
            if flags & 0xFF == SYMBOL_STUBS:
                self.stubs.append((address, size, reserved1, reserved2))

    def take_symbols(self, symbols: int, count: int, strings: int) -> None:
        for i in range(count):
            at, kind, section, _, value = struct.unpack_from("<IBBHQ", self.bytes, symbols + 16 * i)
            name = self.text(strings + at)
            self.names.append(name)
            if kind & 0xE0:
                self.debug += 1
                continue
            if section:
                self.functions[name] = value
            if kind & 1 and not kind & 0x10:  # neither static nor hidden
                (self.open if not section and kind & 0xE == 0 else self.shown).add(name)

    def code(self, name: str) -> bytes:
        """The machine code of a function: up to the next symbol."""
        begin = self.functions[name]
        starts = sorted(set(self.functions.values()))
        end = starts[bisect.bisect_right(starts, begin)]
        address, _, offset = next(s for s in self.segments if s[0] <= begin < s[0] + s[1])
        return self.bytes[offset + begin - address : offset + end - address]

    def name_of_stub(self, address: int) -> str:
        """What a jump to this address of the linker's stubs calls; "" if it is none."""
        for begin, size, first, each in self.stubs:
            if begin <= address < begin + size:
                return self.names[self.indirect[first + (address - begin) // each]]
        return ""

    def newer_names(self, oldest: tuple[int, ...]) -> list[str]:
        """Names left open that a system of version `oldest` does not have."""
        return [name for name in sorted(self.open) if NEWER.get(name, oldest) > oldest]

    def arm64_calls(self, name: str) -> list[tuple[str, set[int]]]:
        """The functions of other libraries that a function for ARM calls, each with the instructions before it (since
        the last call)."""
        calls: list[tuple[str, set[int]]] = []
        before: set[int] = set()
        for i, (word,) in enumerate(struct.iter_unpack("<I", self.code(name))):
            if word >> 26 in (0x25, 0x05):  # BL, B
                distance = ((word & 0x3FFFFFF) ^ 0x2000000) - 0x2000000
                target = self.name_of_stub(self.functions[name] + 4 * (i + distance))
                if target:
                    calls.append((target, before))
                    before = set()
            before.add(word)
        return calls
