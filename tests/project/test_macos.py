# label: whole, 900 s
"""The builds for macOS, read and not run: no Mac is here. Of program and library for both processors, a small
reader of Mach-O files checks the processor, the oldest version of macOS, the libraries, the names that are left
open, and that code pages are taken and switched as the platform wants it. Skipped, aloud, without zig
(scripts/setup --macos)."""

import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAGIC, CPU_X86_64, CPU_ARM64 = 0xFEEDFACF, 0x01000007, 0x0100000C
SYMTAB, LOAD_DYLIB, VERSION_MIN, BUILD_VERSION, SEGMENT_64 = 0x2, 0xC, 0x24, 0x32, 0x19
PLATFORM_MACOS = 1
EXPECTED = {"macos-arm64": (CPU_ARM64, (11, 0)), "macos-x86_64": (CPU_X86_64, (10, 13))}


class MachO:
    """What is asked of a 64-bit Mach-O file."""

    def __init__(self, path: pathlib.Path) -> None:
        self.bytes = path.read_bytes()
        magic, self.cpu, _, self.kind, count, size, _, _ = struct.unpack_from("<8I", self.bytes, 0)
        assert magic == MAGIC, f"{path} is no 64-bit Mach-O file"
        self.libraries: list[str] = []
        self.open: set[str] = set()  # names that other libraries have
        self.shown: set[str] = set()  # names that others may use
        self.oldest = (0, 0)
        self.sections: set[str] = set()
        at = 32
        for _ in range(count):
            command, length = struct.unpack_from("<2I", self.bytes, at)
            self.take(command & 0x7FFFFFFF, at)
            at += length
        assert at == 32 + size

    def text(self, at: int) -> str:
        return self.bytes[at : self.bytes.index(b"\0", at)].decode()

    def take(self, command: int, at: int) -> None:
        if command == LOAD_DYLIB:
            self.libraries.append(self.text(at + struct.unpack_from("<I", self.bytes, at + 8)[0]))
        elif command == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<2I", self.bytes, at + 8)
            assert platform == PLATFORM_MACOS
            self.oldest = (oldest >> 16, oldest >> 8 & 255)
        elif command == VERSION_MIN:
            oldest = struct.unpack_from("<I", self.bytes, at + 8)[0]
            self.oldest = (oldest >> 16, oldest >> 8 & 255)
        elif command == SEGMENT_64:
            protection = struct.unpack_from("<2I", self.bytes, at + 56)
            writable_code = [p for p in protection if p & 2 and p & 4]
            assert not writable_code, "a segment is writable and executable"
        elif command == SYMTAB:
            symbols, count, strings, _ = struct.unpack_from("<4I", self.bytes, at + 8)
            for i in range(count):
                name, kind, section, _, _ = struct.unpack_from("<IBBHQ", self.bytes, symbols + 16 * i)
                if kind & 0xE0 or not kind & 1:  # for debuggers, or local
                    continue
                (self.open if not section and kind & 0xE == 0 else self.shown).add(self.text(strings + name))


def check(preset: str) -> None:
    cpu, oldest = EXPECTED[preset]
    build = ROOT / "build" / preset
    program = MachO(build / "sixer")
    library = MachO(next(p for p in build.glob("libsixer*.dylib") if not p.is_symlink()))
    for name, file in (("sixer", program), ("libsixer", library)):
        assert file.cpu == cpu, f"{name}: processor {file.cpu:x}"
        assert file.oldest == oldest, f"{name}: runs on macOS {file.oldest} and later"
        assert set(file.libraries) <= {"/usr/lib/libSystem.B.dylib"}, f"{name} needs {file.libraries}"
        strange = {
            x for x in file.open if re.search(r"cpu_model|__cpu_indicator|program_invocation|getrandom|_epoll", x)
        }
        assert not strange, f"{name}: {strange}"
        wanted = {"_mmap", "_munmap", "_pthread_create"}
        if preset == "macos-arm64":
            wanted |= {"_pthread_jit_write_protect_np", "_sys_icache_invalidate"}
        else:
            wanted |= {"_mprotect"}
        assert wanted <= file.open, f"{name} does not use {wanted - file.open}"
    header = (ROOT / "include/sixer/sixer.h").read_text()
    declared = {f"_{x}" for x in re.findall(r"SIXER_API[^;()]*?(sixer_\w+)\(", header)}
    assert len(declared) > 30 and declared <= library.shown, f"missing: {sorted(declared - library.shown)[:5]}"
    linker = {"___dso_handle", "__mh_dylib_header"}
    inner = {x for x in library.shown - linker if not x.startswith("_sixer_")}
    assert not inner, f"libsixer shows names of its inside: {sorted(inner)[:5]}"
    print(f"{preset}: macOS {oldest[0]}.{oldest[1]}, {len(program.open)} names left open, {len(library.shown)} shown")


def main() -> int:
    if subprocess.run([sys.executable, "-c", "import ziglang"], stderr=subprocess.DEVNULL).returncode:
        print("skipped: zig is not installed (scripts/setup --macos)")
        return 77
    for preset in EXPECTED:
        libraries = subprocess.run(
            ["scripts/libraries", f"cmake/{preset}.cmake", f"build/libraries/{preset}"], cwd=ROOT
        )
        if libraries.returncode:
            print("skipped: the libraries for macOS cannot be built")
            return 77
        subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            ["cmake", "--build", "--preset", preset, "--target", "sixer_program", "sixer_shared"],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        check(preset)
    # MAP_JIT is an argument and not a name: it is looked for where the call is made
    source = (ROOT / "src/util/os_memory.c").read_text()
    assert re.search(r"map\(NULL, size, PROT_READ \| PROT_WRITE \| PROT_EXEC, MAP_JIT\)", source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
