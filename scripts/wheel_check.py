"""Give a wheel its platform tag and check it.

  wheel_check.py --tag manylinux_2_17_x86_64 --out FOLDER WHEEL

The wheel must be for the limited API, at most 3 MB, with an extension that exports its PyInit function alone, is
stripped, is for the tag's processor, and asks for no libraries but those that the tag allows; for macOS also for no
later version than the tag's. Linux wheels with a manylinux tag are shown to auditwheel, which must find the same tag.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from macho import CPU_ARM64, CPU_X86_64, MachO

LIMIT = 3_000_000
ALLOWED = {
    "manylinux": r"lib(c|m|pthread|dl|rt)\.so\.\d+|ld-linux-[a-z0-9_-]+\.so\.\d+",
    "musllinux": r"libc\.so",
    "win": r"(kernel32|msvcrt|ws2_32|shell32|psapi|advapi32|python3)\.dll",
    "macosx": r"/usr/lib/libSystem\.B\.dylib",
}
MAGICS = {"manylinux": b"\x7fELF", "musllinux": b"\x7fELF", "win": b"MZ", "macosx": b"\xcf\xfa\xed\xfe"}
MACHINES = {  # as readelf and Mach-O call them
    "x86_64": ("Advanced Micro Devices X86-64", CPU_X86_64),
    "arm64": ("", CPU_ARM64),
    "aarch64": ("AArch64", 0),
}


def retag(wheel: Path, tag: str, out: Path) -> Path:
    """A copy with this platform tag, in its name, its metadata and its record."""
    name, version, python, abi = wheel.stem.split("-")[:4]
    if (python, abi) != ("cp311", "abi3"):
        sys.exit(f"{wheel.name}: expected tags cp311-abi3")
    # the older name of the same tag, for installers that know no other
    tags = f"{tag}.manylinux2014_{tag.rsplit('17_', 1)[1]}" if tag.startswith("manylinux_2_17_") else tag
    target = out / f"{name}-{version}-{python}-{abi}-{tags}.whl"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        records = []
        for item in sorted(old.infolist(), key=lambda item: (".dist-info/" in item.filename, item.filename)):
            data = old.read(item)
            if item.is_dir() or item.filename.endswith(".dist-info/RECORD"):
                continue
            if item.filename.endswith(".dist-info/WHEEL"):
                lines = [line for line in data.decode().splitlines() if line and not line.startswith("Tag:")]
                data = "\n".join(lines + [f"Tag: {python}-{abi}-{t}" for t in tags.split(".")] + [""]).encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{item.filename},sha256={digest},{len(data)}\n")
            copy = zipfile.ZipInfo(item.filename, (1980, 1, 1, 0, 0, 0))  # equal builds are equal files
            copy.external_attr, copy.compress_type = item.external_attr, zipfile.ZIP_DEFLATED
            new.writestr(copy, data)
        record = f"{name}-{version}.dist-info/RECORD"
        copy = zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0))
        copy.external_attr, copy.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        new.writestr(copy, "".join(records) + f"{record},,\n")
    return target


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_elf(file: Path, tag: str, extension: bool) -> list[str]:
    problems = []
    head = output_of("readelf", "-dW", str(file))
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", head)
    allowed = ALLOWED[tag.split("_")[0]]
    problems += [f"{file.name} asks for {library}" for library in needed if not re.fullmatch(allowed, library)]
    machine = re.search(r"Machine:\s+(.*)", output_of("readelf", "-h", str(file)))
    expected = next(names[0] for ending, names in MACHINES.items() if tag.endswith(ending))
    if not machine or machine[1] != expected:
        problems.append(f"{file.name} is for {machine and machine[1]}, not {expected}")
    if ".symtab" in output_of("readelf", "-SW", str(file)):
        problems.append(f"{file.name} is not stripped")
    if extension:
        names = []
        for line in output_of("readelf", "--dyn-syms", "-W", str(file)).splitlines():
            fields = line.split()
            if len(fields) >= 8 and fields[4] in ("GLOBAL", "WEAK") and fields[6] != "UND":
                names.append(fields[7])
        if names != ["PyInit__sixer"]:
            problems.append(f"{file.name} exports {', '.join(names[:8])} instead of PyInit__sixer")
    return problems


def check_pe(file: Path, tag: str, extension: bool) -> list[str]:
    """A program or DLL of Windows."""
    shown = output_of("x86_64-w64-mingw32-objdump", "-p", str(file))
    problems = []
    if "pei-x86-64" not in shown:
        problems.append(f"{file.name} is not for x86-64")
    for library in re.findall(r"DLL Name: (.*)", shown):
        if not re.fullmatch(ALLOWED["win"], library, re.I):
            problems.append(f"{file.name} asks for {library}")
    if "no symbols" not in subprocess.run(["x86_64-w64-mingw32-nm", str(file)], capture_output=True, text=True).stderr:
        problems.append(f"{file.name} is not stripped")
    names = re.findall(r"^\s*\[\s*\d+\](?: \+base\[\s*\d+\]\s+\w+)? (\w+)$", shown, re.M)
    if extension and set(names) != {"PyInit__sixer"}:
        problems.append(f"{file.name} exports {', '.join(names[:8])} instead of PyInit__sixer")
    return problems


def check_macho(file: Path, tag: str, extension: bool) -> list[str]:
    """A program or library of macOS."""
    read = MachO(file)
    problems = [f"{file.name} asks for {x}" for x in read.libraries if not re.fullmatch(ALLOWED["macosx"], x)]
    cpu = next(names[1] for ending, names in MACHINES.items() if tag.endswith(ending))
    oldest = tuple(map(int, tag.split("_")[1:3]))
    if read.cpu != cpu:
        problems.append(f"{file.name} is for the processor {read.cpu:x}, not {cpu:x}")
    if read.oldest > oldest:
        problems.append(f"{file.name} wants macOS {read.oldest}, not {oldest}")
    problems += [f"{file.name} calls {x[1:]}(), which is newer than macOS {oldest}" for x in read.newer_names(oldest)]
    if read.debug:  # zig's linker keeps the names of static functions, with -s too
        problems.append(f"{file.name} is not stripped: {read.debug} entries for debuggers")
    names = read.shown - {"___dso_handle", "__mh_bundle_header", "__mh_dylib_header", "dyld_stub_binder"}
    if extension and names != {"_PyInit__sixer"}:
        problems.append(f"{file.name} exports {', '.join(sorted(names)[:8])} instead of PyInit__sixer")
    return problems


CHECKS = {"manylinux": check_elf, "musllinux": check_elf, "win": check_pe, "macosx": check_macho}


def check(wheel: Path, tag: str) -> list[str]:
    problems = []
    size = wheel.stat().st_size
    if size > LIMIT:
        problems.append(f"it has {size} bytes, more than {LIMIT}")
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        kind = tag.split("_")[0]
        binaries = [p for p in Path(folder, "sixer").rglob("*") if p.is_file()]
        binaries = [p for p in binaries if p.read_bytes().startswith(MAGICS[kind])]
        if len(binaries) != 2:
            problems.append(f"it has {len(binaries)} binaries, not the extension and the program")
        for file in binaries:
            problems += CHECKS[kind](file, tag, file.name.startswith("_sixer"))
    if tag.startswith("manylinux"):
        shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(wheel)], capture_output=True, text=True)
        if f'"{tag}"' not in shown.stdout.replace("\n", " "):
            problems.append(f"auditwheel says: {shown.stdout.strip()} {shown.stderr.strip()}")
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("wheel", type=Path)
    args = parser.parse_args()
    wheel = retag(args.wheel, args.tag, args.out)
    problems = check(wheel, args.tag)
    for problem in problems:
        print(f"{wheel.name}: {problem}", file=sys.stderr)
    if problems:
        wheel.unlink()
        sys.exit(1)
    print(f"{wheel.name}: {wheel.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
