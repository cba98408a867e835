"""The program in surroundings that are not its developers': a system that forbids executable pages, folders with
blanks, umlauts and emoji in their names, files with CRLF, an installation where nobody may write. Everything must be
the same bytes as elsewhere. test_windows.sh has the same for Windows."""

import ctypes
import hashlib
import mmap
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = (pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build/release")) / "sixer").resolve()
ODD = "Spiele für Zoë 🎮 und andere"
NOBODY = 65534


def run(*command, status=0, before=None, **more):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, preexec_fn=before, **more)
    assert result.returncode == status, f"{command}: status {result.returncode}\n{result.stderr[-1000:]}"
    return result


# ---- a system that forbids executable pages


def forbid_executable_pages():
    """From now on, and for children, mprotect() with PROT_EXEC and anonymous mmap() with it fail, as under SELinux or
    with a hardened kernel: a filter of system calls."""
    calls = {"x86_64": (9, (10, 329)), "aarch64": (222, (226, 288))}[platform.machine()]
    mmap_call, protect_calls = calls
    number, protection, flags = 0, 32, 40  # offsets in struct seccomp_data: arguments begin at 16
    load, equal, has, give = 0x20, 0x15, 0x45, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | 13  # SECCOMP_RET_ERRNO | EACCES
    program = [
        (load, 0, 0, number),
        (equal, 3, 0, mmap_call),  # to the test of flags
        (equal, 4, 0, protect_calls[0]),  # to the test of the protection
        (equal, 3, 0, protect_calls[1]),
        (give, 0, 0, allow),
        (load, 0, 0, flags),
        (has, 0, 3, mmap.MAP_ANONYMOUS),
        (load, 0, 0, protection),
        (has, 0, 1, mmap.PROT_EXEC),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
    ]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filter = 38, 22
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, 2, head, 0, 0):
        raise OSError(ctypes.get_errno(), "the system has no filters of system calls")


def test_forbidden_pages():
    if platform.machine() not in ("x86_64", "aarch64"):
        return "not tried: no translator for this processor"
    # the filter does what it should
    look = "import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)"
    run(sys.executable, "-c", look)
    try:
        refused = run(sys.executable, "-c", look, status=1, before=forbid_executable_pages)
    except subprocess.SubprocessError:
        return "not tried: the system has no filters of system calls"
    assert "PermissionError" in refused.stderr, refused.stderr
    assert "core         jit" in run(SIXER, "info", "duskrain").stdout
    told = run(SIXER, "info", "duskrain", before=forbid_executable_pages).stdout.splitlines()
    core = [line for line in told if line.startswith("core")]
    assert core == ["core         interp: the system refuses executable memory, so nothing is translated"], core
    for game in ("duskrain", "undervault"):
        command = (SIXER, "trace", game, "--steps", 300)
        assert run(*command).stdout == run(*command, before=forbid_executable_pages).stdout
    command = (SIXER, "trace", "duskrain", "--steps", 50)
    forced = os.environ | {"SIXER_CORE": "jit"}
    assert run(*command).stdout == run(*command, env=forced, before=forbid_executable_pages).stdout
    return "the interpreter runs, and info says so"


# ---- names of folders, and CRLF

LAB = """name = "small"
protocol = "machado2018"
games = ["duskrain"]
trials = 1
frames = "3k"

[agent.random]
"""
SCORES = "agent,game,score\na,pong,1\na,breakout,2\n"


def make_everything(folder, newline):
    """Files of every kind, in `folder`; its text files end lines with `newline`."""
    (folder / "läb 🧪.toml").write_text(LAB, newline=newline)
    (folder / "scöres 📈.csv").write_text(SCORES, newline=newline)
    rule = ("--protocol", "nature2015", "--partial", "--replicates", 100)
    told = []
    for command in [
        ("record", "random", "duskrain", "--max-frames", 600, "--seed", 3, "-o", "Täpe 🎲.tape"),
        ("replay", "Täpe 🎲.tape", "--video", "Film 🎬.gif"),
        ("replay", "Täpe 🎲.tape", "--export", "Däten 🗃", "--observations", "ram"),
        ("train", "sarsa", "duskrain", "--frames", "4k", "--out", "Läufe 🏃"),
        ("plan", "uct", "duskrain", "--simulations", 2, "--decisions", 5, "--out", "Pläne"),
        ("eval", "scöres 📈.csv", *rule, "--json"),
        ("report", "scöres 📈.csv", *rule, "-o", "Bericht ü.html"),
        ("lab", "run", "läb 🧪.toml", "--store", "Störe.db", "--jobs", 1, "--quiet"),
        ("lab", "export", "Störe.db", "-o", "exportiert ✅"),
    ]:
        out = run(SIXER, *command, cwd=folder).stdout
        if command[0] == "eval":
            told.append(out)
    model = next((folder / "Läufe 🏃").glob("*.checkpoint"))
    told.append(run(SIXER, "info", model.relative_to(folder), cwd=folder).stdout)
    files = [f for f in sorted(folder.rglob("*")) if f.is_file()]
    # what was written by us above; the store, pages and tables of plans hold times
    left_out = (".toml", ".db", ".html", ".json")
    bytes_of = {str(f.relative_to(folder)): f.read_bytes() for f in files if f.suffix not in left_out}
    bytes_of.pop("scöres 📈.csv")
    times = [name for name in bytes_of if name.startswith("exportiert") and not name.endswith("episodes.csv")]
    for name in times:
        del bytes_of[name]
    return told, bytes_of


def test_names_and_lines(work):
    plain, odd = work / "plain", work / ODD
    plain.mkdir(), odd.mkdir()
    first, second = make_everything(plain, "\n"), make_everything(odd, "\r\n")
    assert first[0] == second[0]
    assert first[1].keys() == second[1].keys() and len(first[1]) >= 7, sorted(first[1])
    different = [name for name in first[1] if first[1][name] != second[1][name]]
    assert not different, different
    # the definition of a game
    image = bytearray((ROOT / "roms/duskrain.bin").read_bytes())
    image[0x100] ^= 1  # not the game that is known
    text = (ROOT / "roms/duskrain.game").read_text().replace('"Duskrain"', '"Evening Rain"')
    text = re.sub(r"(?m)^game .*", "game regen", text)
    text = re.sub(r"(?m)^md5 .*", f"md5 {hashlib.md5(image).hexdigest()}", text)
    told = []
    for folder, newline in (plain, "\n"), (odd, "\r\n"):
        (folder / "Rëgen.bin").write_bytes(image)
        (folder / "rëgen.game").write_text(text, newline=newline)
        own = os.environ | {"SIXER_GAMES": str(folder)}
        told.append(run(SIXER, "trace", "Rëgen.bin", "--steps", 200, env=own, cwd=folder).stdout)
        assert "Evening Rain\n" in run(SIXER, "info", "Rëgen.bin", env=own, cwd=folder).stdout
    assert told[0] == told[1]
    return f"{len(first[1])} files, the same bytes"


# ---- an installation where nobody may write


def become_nobody():
    if os.getuid() == 0:  # root may write everywhere
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_read_only(work):
    fixed = work / ODD / "fest"
    fixed.mkdir()
    shutil.copy(SIXER, fixed / "sixer")
    run(SIXER, "record", "random", "duskrain", "--max-frames", 300, "--seed", 3, "-o", fixed / "a.tape")
    for file in fixed.iterdir():
        file.chmod(0o555)
    fixed.chmod(0o555)
    environment = {"HOME": str(fixed), "PATH": os.environ["PATH"], "TMPDIR": str(fixed)}

    def there(*command, status=0):
        return run("./sixer", *command, status=status, cwd=fixed, env=environment, before=become_nobody)

    trace = ("trace", "duskrain", "--steps", 200)
    assert there(*trace).stdout == run(SIXER, *trace).stdout
    there("replay", "a.tape")
    there("games")
    there("info", "duskrain")
    for command in [
        ("record", "random", "duskrain", "--max-frames", 60, "-o", "new.tape"),
        ("train", "random", "duskrain", "--frames", 1000, "--out", "new"),
        ("replay", "a.tape", "--video", "new.gif"),
    ]:
        told = there(*command, status=1).stderr
        assert "new" in told and "denied" in told.lower(), told
    assert sorted(f.name for f in fixed.iterdir()) == ["a.tape", "sixer"]
    fixed.chmod(0o755)
    return "reads and plays, and names what it may not write"


def main():
    if sys.platform != "linux":
        print("SKIPPED: only for Linux")
        return 77
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        work.chmod(0o755)
        print("executable pages forbidden:", test_forbidden_pages())
        print("names of folders, CRLF:", test_names_and_lines(work))
        print("read-only installation:", test_read_only(work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
