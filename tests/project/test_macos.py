# label: whole, 900 s
"""The builds for macOS, read and not run: no Mac is here. Of program, library and Python extension for both processors,
scripts/macho.py tells the processor, the oldest version of macOS, the libraries, the names that are left open, and the
machine code that takes and switches code pages: it must ask as the platform wants it. Skipped, aloud, without zig
(scripts/setup --macos)."""

import pathlib
import re
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from macho import CPU_ARM64, CPU_X86_64, MachO  # noqa: E402

EXPECTED = {"macos-arm64": (CPU_ARM64, (11, 0)), "macos-x86_64": (CPU_X86_64, (10, 13))}
# of <sys/mman.h> there: PROT_READ | PROT_WRITE | PROT_EXEC; MAP_PRIVATE | MAP_ANON | MAP_JIT
PROTECTION, FLAGS = 7, 0x2 | 0x1000 | 0x800


def move(register: int, value: int) -> int:
    """The instruction of ARM that puts a number of 16 bits into the lower half of a register: MOVZ."""
    return 0x52800000 | value << 5 | register


def check_code_pages(program: MachO) -> None:
    """mmap() is called with MAP_JIT, and pages are switched for the thread."""
    calls = program.arm64_calls("_os_code_take")
    names = [name for name, _ in calls]
    assert names == ["_mmap", "_pthread_jit_write_protect_np"], f"_os_code_take calls {names}"
    before = calls[0][1]
    assert move(2, PROTECTION) in before, "mmap() is not called with PROT_READ | PROT_WRITE | PROT_EXEC"
    assert move(3, FLAGS) in before, "mmap() is not called with MAP_PRIVATE | MAP_ANON | MAP_JIT"
    names = [name for name, _ in program.arm64_calls("_os_code_protect")]
    assert set(names) == {"_pthread_jit_write_protect_np", "_sys_icache_invalidate"}, f"_os_code_protect calls {names}"


def check(preset: str) -> None:
    cpu, oldest = EXPECTED[preset]
    build = ROOT / "build" / preset
    program = MachO(build / "sixer")
    library = MachO(next(p for p in build.glob("libsixer*.dylib") if not p.is_symlink()))
    extension = MachO(build / "python/sixer/_sixer.abi3.so")
    for name, file in (("sixer", program), ("libsixer", library), ("_sixer", extension)):
        assert file.cpu == cpu, f"{name}: processor {file.cpu:x}"
        assert file.oldest == oldest, f"{name}: runs on macOS {file.oldest} and later"
        assert set(file.libraries) <= {"/usr/lib/libSystem.B.dylib"}, f"{name} needs {file.libraries}"
        assert not file.writable_code, f"{name}: a segment is writable and executable"
        strange = {
            x for x in file.open if re.search(r"cpu_model|__cpu_indicator|program_invocation|getrandom|_epoll", x)
        }
        assert not strange, f"{name}: {strange}"
        assert not file.newer_names(oldest), f"{name} calls {file.newer_names(oldest)}: newer than macOS {oldest}"
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
    assert "_PyInit__sixer" in extension.shown  # and nothing else in a wheel: scripts/wheel_check.py
    if cpu == CPU_ARM64:
        check_code_pages(program)
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
        # the limited API is the same everywhere, so the headers of this machine's Python do
        headers = f"-DSIXER_PYTHON_INCLUDE={sysconfig.get_path('include')}"
        subprocess.run(["cmake", "--preset", preset, headers], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        command = ["cmake", "--build", "--preset", preset, "--target", "sixer_program", "sixer_shared", "sixer_python"]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if built.returncode:
            print(built.stdout[-3000:], built.stderr[-1000:])
            return 1
        check(preset)
    return 0


if __name__ == "__main__":
    sys.exit(main())
