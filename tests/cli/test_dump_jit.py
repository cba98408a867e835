#!/usr/bin/env python3
"""`sixer trace --dump-jit`: the listing of translated code is complete and right, and bad usage is refused.

The disassembly of every instruction is compared with that of objdump; the 6507 code with the bytes of the image.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build/release")).resolve() / "sixer"
CARTRIDGES = ROOT / "tests/cartridges"
RUN = os.environ.get("SIXER_EMULATOR", "").split()  # for a program that this machine does not execute itself
HOST = os.environ.get("SIXER_HOST", platform.machine())
# bytes of the check of the guard, the name in the summary, and how objdump is asked
GUARD_BYTES, HOST_NAME, OBJDUMP = {
    "x86_64": (13, "x86-64", ["objdump", "-m", "i386:x86-64", "-M", "intel"]),
    "aarch64": (12, "AArch64", ["aarch64-linux-gnu-objdump" if RUN else "objdump", "-m", "aarch64"]),
}.get(HOST, (0, "", ["objdump"]))
TRANSLATES = GUARD_BYTES > 0 and sys.platform == "linux"
failures = []

MACHINE_LINE = re.compile(r"  ([0-9a-f]{6})  ((?:[0-9a-f]{2} )+) *([^;]*?) *(?:; (.*))?$")
PLAIN_LINE = re.compile(r"\$([0-9A-F]{4})  ((?:[0-9A-F]{2} )+) *([A-Z]{3})(?: (.*))?$")
BLOCK_LINE = re.compile(r"block \$([0-9A-F]{4}), bank (\d+)$")


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def trace(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if k != "SIXER_CORE"} | environment
    command = [*RUN, SIXER, "trace", *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


class Listing:
    """The parts of a listing: machine code, what each instruction of it says, blocks and 6507 instructions."""

    def __init__(self, name, text):
        self.code = b""
        self.texts, self.notes, self.blocks, self.plain = {}, {}, {}, []
        lines = text.splitlines()
        self.summary = lines[0]
        waiting = None
        for line in lines[1:]:
            if m := MACHINE_LINE.match(line):
                offset = int(m[1], 16)
                check(offset == len(self.code), f"{name}: code is missing before {offset:#x}")
                self.texts[offset], self.notes[offset] = m[3], m[4] or ""
                if waiting:
                    self.blocks[offset] = waiting
                    waiting = None
                self.code += bytes.fromhex(m[2])
            elif m := PLAIN_LINE.match(line):
                self.plain.append((int(m[1], 16), bytes.fromhex(m[2]), m[3]))
            elif m := BLOCK_LINE.match(line):
                waiting = m[1]


def objdump(code):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        out = subprocess.run(
            [*OBJDUMP, "-D", "-b", "binary", "-w", file.name],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    found = {}
    for line in out.splitlines():
        if m := re.match(r"\s*([0-9a-f]+):\t[^\t]*\t(.*)$", line):
            text = re.sub(r"^rex ", "", m[2]).split("//")[0]  # what follows are other names
            found[int(m[1], 16)] = " ".join(text.split())
    return found


def check_listing(name, arguments, image):
    result = trace(*arguments, "--dump-jit")
    check(result.returncode == 0, f"{name}: {result.stderr}")
    if result.returncode:
        return set()
    listing = Listing(name, result.stdout)
    check(
        listing.summary == f"{len(listing.blocks)} blocks of {len(listing.plain)} instructions: "
        f"{len(listing.code)} bytes of {HOST_NAME}",
        f"{name}: the summary is '{listing.summary}'",
    )
    check(len(listing.plain) > 20, f"{name}: only {len(listing.plain)} instructions are translated")
    # the 6507 code is that of the image
    for pc, code, _ in listing.plain:
        at = pc & (len(image) - 1)
        check(image[at : at + len(code)] == code, f"{name}: ${pc:04X} is not {code.hex()} in the image")
    # jumps that are said to lead to a block do so, or behind the check of the guard with which it begins
    behind = 0
    for offset, note in listing.notes.items():
        if note.startswith("block $"):
            target = int(listing.texts[offset].split()[-1], 16)
            if note.endswith(", behind its guard"):
                target -= GUARD_BYTES
                check("frame.guard" in listing.notes.get(target, ""), f"{name}: no guard in front of {note}")
                behind += 1
            check(listing.blocks.get(target) == note[7:11], f"{name}: {offset:#x} does not lead to {note}")
    check(behind > 0, f"{name}: all jumps lead to checks of the guard")
    if shutil.which(OBJDUMP[0]):
        theirs = objdump(listing.code)
        ours = {offset: " ".join(text.split()) for offset, text in listing.texts.items()}
        for offset in sorted(theirs.keys() | ours.keys()):
            if ours.get(offset) != theirs.get(offset):
                check(False, f"{name}: {offset:#x} is '{ours.get(offset)}', objdump says '{theirs.get(offset)}'")
                break
    return {operation for _, _, operation in listing.plain}


def check_refusals():
    image = CARTRIDGES / "timer.bin"
    for arguments in (
        ["--core", "plain"],
        ["--core", "interp"],
        ["--cycle-cpu"],
        ["--columns", "rgb"],
        ["--every", "2"],
    ):
        result = trace(image, "--dump-jit", *arguments)
        check(
            result.returncode == 2 and arguments[0] in result.stderr and not result.stdout,
            f"{arguments}: status {result.returncode}, '{result.stderr}'",
        )
    result = trace("no_such_game", "--dump-jit")
    check(result.returncode == 1 and "no_such_game" in result.stderr, f"no such game: '{result.stderr}'")
    if not TRANSLATES:
        return
    result = trace(image, "--dump-jit", SIXER_CORE="interp")
    check(result.returncode == 1 and "SIXER_CORE" in result.stderr, f"SIXER_CORE: '{result.stderr}'")
    # a cartridge of type 3F: its code is not translated
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "banks.bin"
        filling = bytes(i * 7 % 251 for i in range(8192 - 9 - 2))
        path.write_bytes(bytes.fromhex("853feaea853f4c02f8") + filling + b"\x00\xf8")
        result = trace(path, "--dump-jit")
        check(result.returncode == 1 and "3F are not translated" in result.stderr, f"3F: '{result.stderr}'")


def main():
    check_refusals()
    if not TRANSLATES:
        result = trace(CARTRIDGES / "timer.bin", "--dump-jit")
        check(result.returncode == 1 and "no translator" in result.stderr, f"no translator: '{result.stderr}'")
        return 1 if failures else 0
    seen = set()
    for name in ("timer", "decimal", "stack_tia", "breaks", "undocumented", "players", "wsync", "paddles"):
        path = CARTRIDGES / f"{name}.bin"
        seen |= check_listing(name, [path, "--steps", "60"], path.read_bytes())
    for name in ("afterglow", "hedgelight"):
        path = ROOT / "roms" / f"{name}.bin"
        seen |= check_listing(name, [name, "--steps", "200"], path.read_bytes())
    missing = {"LDA", "STA", "ADC", "SBC", "BNE", "JSR", "RTS", "PHP", "PLA", "BRK", "ROL", "INC"} - seen
    check(not missing, f"not in any listing: {missing}")
    if not shutil.which(OBJDUMP[0]):
        print("SKIPPED: objdump is missing (package binutils): the disassembly was not compared")
        return 1 if failures else 77
    print(f"{len(seen)} operations in the listings; {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
