#!/usr/bin/env python3
# label: long
"""Tapes through the program: a tape of one build and core replays on the others; films and datasets show the same
episodes; damaged or incomplete tapes, full disks and other kinds of files get an error message."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release"))
SIXER = str(BUILD / "sixer")
CARTRIDGE = str(ROOT / "tests" / "cartridges" / "players.bin")
failures = []


def run(*arguments, program=SIXER, limit=None, **environment):
    def prepare():
        if limit:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        preexec_fn=prepare,
    )


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:500]}")


def expect(what, result, status, *words):
    text = result.stderr if status else result.stdout
    check(f"{what}, exit status", result.returncode == status, (result.returncode, result.stderr))
    for word in words:
        check(f"{what}, '{word}'", word in text, text)
    check(f"{what}, sanitizer", "Sanitizer" not in result.stderr, result.stderr)


def npy(path):
    """A NumPy array as its shape, type and bytes; NumPy itself is not needed."""
    data = path.read_bytes()
    check(f"{path.name}, magic", data[:8] == b"\x93NUMPY\x01\x00")
    head = eval(data[10:128])
    return head["shape"], head["descr"], data[128:]


def gif_frames(path):
    """Decode a GIF into pictures of palette bytes with their delays."""
    data = path.read_bytes()
    check("gif head", data[:6] == b"GIF89a")
    width, height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    colors = [tuple(data[13 + 3 * i : 16 + 3 * i]) for i in range(256)]
    at, canvas, delay, frames = 13 + 768, bytearray(width * height), 0, []
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                delay = int.from_bytes(data[at + 4 : at + 6], "little")
            at += 2
            while data[at]:
                at += 1 + data[at]
            at += 1
            continue
        left, top, w, h = (int.from_bytes(data[at + 1 + 2 * i : at + 3 + 2 * i], "little") for i in range(4))
        at += 11
        packed = b""
        while data[at]:
            packed += data[at + 1 : at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        bits, position, size, table, out, before = int.from_bytes(packed, "little"), 0, 9, None, [], None
        total = len(packed) * 8
        while position + size <= total:
            code = (bits >> position) & ((1 << size) - 1)
            position += size
            if code == 256:
                table, size, before = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
                continue
            if code == 257:
                break
            entry = table[code] if code < len(table) else before + before[:1]
            if before is not None and len(table) < 4096:
                table.append(before + entry[:1])
            if len(table) == 1 << size and size < 12:
                size += 1
            out.append(entry)
            before = entry
            if len(out) % 64 == 0:  # keep the number small
                bits >>= position
                total -= position
                position = 0
        pixels = b"".join(out)
        check("gif pixels", len(pixels) == w * h, (len(pixels), w, h))
        for row in range(h):
            start = (top + row) * width + left
            canvas[start : start + w] = pixels[row * w : (row + 1) * w]
        frames.append((bytes(canvas), delay))
    return width, height, colors, frames


def builds_and_cores(folder):
    for game, options in (
        ("sporefall", []),
        ("hedgelight", ["--sticky", "0.25", "--frame-skip", "4"]),
        (CARTRIDGE, ["--steps", "600", "--episodes", "0"]),
    ):
        tape = folder / "a.tape"
        expect(
            f"record {game}",
            run("record", "random", game, "-o", tape, *options, "--max-frames", "3000"),
            0,
            "score",
        )
        where = ["--rom", CARTRIDGE] if game == CARTRIDGE else []
        size, steps = tape.stat().st_size, json.loads(run("replay", tape, "--json", *where).stdout)["steps"]
        check(f"{game}, bytes per step", size < steps + 500, (size, steps))
        for core in ("plain", "interp", "jit"):
            expect(f"{game} on {core}", run("replay", tape, *where, SIXER_CORE=core), 0, "verified")
        for preset in ("debug", "sanitize", "release", "clang"):
            program = ROOT / "build" / preset / "sixer"
            if program.exists() and program.parent != BUILD:
                result = run("replay", tape, *where, program=str(program))
                if "there is no command" not in result.stderr:  # a build of older sources
                    expect(f"{game} on the {preset} build", result, 0, "verified")
        # and back: recorded by the plain core
        tape.unlink()
        run("record", "random", game, "-o", tape, *options, "--max-frames", "600", "--steps", "600", SIXER_CORE="plain")
        expect(f"{game} from plain", run("replay", tape, *where), 0, "verified")
        tape.unlink()


def kept_tapes():
    """Tapes in the repository, recorded by an earlier build: an agent's, with levels, and a person's, with rewinding
    and changes of mode. test_compilers and test_sanitized replay them on other builds."""
    for name, steps, jumps in (("sporefall", 1800, False), ("cragfast", 580, True)):
        tape = ROOT / "tests" / "data" / "tapes" / f"{name}.tape"
        for core in ("plain", "interp", "jit"):
            result = run("replay", tape, "--json", SIXER_CORE=core)
            report = json.loads(result.stdout)
            check(
                f"kept tape {name} on {core}",
                report["verified"] and report["complete"] and report["steps"] == steps,
                report,
            )
        check(f"jumps of {name}", ("with jumps" in run("replay", tape, "--info").stdout) == jumps)


def films_and_datasets(folder):
    tape, data, film = folder / "b.tape", folder / "data", folder / "b.gif"
    run(
        "record",
        "perturb:action=FIRE",
        "duskrain",
        "-o",
        tape,
        "--steps",
        "700",
        "--episodes",
        "0",
        "--sticky",
        "0.25",
        "--max-frames",
        "400",
    )
    one = json.loads(run("replay", tape, "--json").stdout)
    check("json", one["verified"] and one["steps"] == 700, one)
    expect("export", run("replay", tape, "--export", data, "--observations", "screen,rgb,gray,ram"), 0, "verified")
    manifest = json.loads((data / "manifest.json").read_text())
    arrays = {name: npy(data / f"{name}.npy") for name in manifest["arrays"]}
    steps, episodes = manifest["steps"], len(manifest["episodes"])
    offsets = [int.from_bytes(arrays["offsets"][2][8 * i : 8 * i + 8], "little") for i in range(episodes + 1)]
    check("dataset steps", steps == 700 and episodes == 2 and offsets == [0, 400, 700], (steps, episodes, offsets))
    rows = sixer_rows = arrays["screen"][0][1]
    for name, shape, kind in (
        ("actions", (700,), "|u1"),
        ("executed", (700,), "|u1"),
        ("rewards", (700,), "<i4"),
        ("screen", (702, rows, 160), "|u1"),
        ("rgb", (702, rows, 160, 3), "|u1"),
        ("gray", (702, rows, 160), "|u1"),
        ("ram", (702, 128), "|u1"),
        ("truncations", (700,), "|b1"),
    ):
        check(f"array {name}", arrays[name][:2] == (shape, kind), arrays[name][:2])
    check("executed differs under sticky actions", arrays["actions"][2] != arrays["executed"][2])
    rewards = [int.from_bytes(arrays["rewards"][2][4 * i : 4 * i + 4], "little", signed=True) for i in range(700)]
    check("returns", [e["return"] for e in manifest["episodes"]] == [sum(rewards[:400]), sum(rewards[400:])])
    check("score", sum(rewards) == one["score"], (sum(rewards), one))
    check(
        "cut off", list(arrays["truncations"][2]).index(1) == 399 and manifest["episodes"][0]["ends"] == "frame limit"
    )
    screen, rgb, palette = arrays["screen"][2], arrays["rgb"][2], manifest["palette"]
    colors = {tuple(rgb[3 * i : 3 * i + 3]) == tuple(palette[screen[i]]) for i in range(0, len(screen), 997)}
    check("rgb is the palette of screen", colors == {True})

    # the film shows the frames of the dataset
    expect("film", run("replay", tape, "--video", film), 0, "verified")
    width, height, table, frames = gif_frames(film)
    check("film size", (width, height) == (320, sixer_rows), (width, height))
    shown = [bytes(f[0][0::2]) for f in frames]
    expected, lasting = [], []
    taken = -3
    for step in range(1, 701):
        # observation after each step; episode 1 is one further because of its first observation
        if step - taken >= 3 or step == 1:
            taken = step
            row = step if step <= 400 else step + 1
            picture = screen[row * rows * 160 : (row + 1) * rows * 160]
            if expected and expected[-1] == picture:
                lasting[-1] += 1
            else:
                expected.append(picture)
                lasting.append(1)
    check("film frames", shown == expected, (len(shown), len(expected)))
    seconds = sum(f[1] for f in frames) / 100
    check("film length", abs(seconds - 700 / 59.92) < 0.2, seconds)
    check("film colors", all(table[i] == tuple(palette[i]) for i in range(256)))
    if shutil.which("ffmpeg") and shutil.which("ffprobe"):
        expect("film by ffmpeg", run("replay", tape, "--video", folder / "b.mkv"), 0, "verified")
        probe = subprocess.run(
            [
                "ffprobe",
                "-v",
                "error",
                "-count_frames",
                "-show_entries",
                "stream=codec_type,width,height,nb_read_frames",
                "-of",
                "csv=p=0",
                str(folder / "b.mkv"),
            ],
            capture_output=True,
            text=True,
        ).stdout
        check("ffmpeg's frames", f"video,640,{2 * rows},700" in probe and "audio" in probe, probe)
    else:
        print("SKIPPED films by ffmpeg: it is not installed")
    expect("pictures", run("replay", tape, "--video", folder / "png", "--every", "100"), 0)
    pictures = sorted((folder / "png").iterdir())
    check("pictures", len(pictures) == 7 and all(p.read_bytes()[:4] == b"\x89PNG" for p in pictures), pictures)
    expect("an export is not overwritten", run("replay", tape, "--export", data), 1, "already")
    expect("unknown observations", run("replay", tape, "--export", folder / "x", "--observations", "smell"), 2, "smell")
    check("nothing half done", not (folder / "x").exists() and not (folder / "x.part").exists())


def levels(folder):
    tape, data = folder / "l.tape", folder / "levels"
    run(
        "record",
        "random",
        "hedgelight",
        "-o",
        tape,
        "--level",
        "200",
        "--levels",
        "5",
        "--episodes",
        "6",
        "--max-frames",
        "120",
    )
    expect("a tape with levels", run("replay", tape, "--info"), 0, "levels 200 to 204")
    expect("its export", run("replay", tape, "--export", data, "--observations", "ram"), 0, "verified")
    shape, _, ram = npy(data / "ram.npy")
    episodes = json.loads((data / "manifest.json").read_text())["episodes"]
    played = [e["level"] for e in episodes]
    check(
        "levels of episodes", len(played) == 6 and set(played) <= set(range(200, 205)) and len(set(played)) > 1, played
    )
    check("levels in memory", [ram[128 * (121 * i + 5) + 1] for i in range(6)] == played, played)
    expect(
        "a level out of range",
        run("record", "random", "hedgelight", "-o", folder / "m.tape", "--level", "256"),
        1,
        "0 to 255",
    )
    expect(
        "levels out of range",
        run("record", "random", "hedgelight", "-o", folder / "m.tape", "--level", "250", "--levels", "7"),
        1,
        "0 to 255",
    )
    expect(
        "a mode out of range",
        run("record", "random", "hedgelight", "-o", folder / "m.tape", "--mode", "4"),
        1,
        "0, 1, 2, 3",
    )
    expect(
        "a game without levels",
        run("record", "random", CARTRIDGE, "-o", folder / "m.tape", "--level", "1"),
        1,
        "0 to 0",
    )


def bad_input(folder):
    tape = folder / "c.tape"
    run("record", "random", "cragfast", "-o", tape, "--steps", "1200", "--episodes", "0")
    whole = tape.read_bytes()
    expect("exists", run("record", "random", "cragfast", "-o", tape), 1, "there already", "--force")
    expect("force", run("record", "random", "cragfast", "-o", tape, "--steps", "1200", "--episodes", "0", "--force"), 0)
    check("the same play gives the same tape", tape.read_bytes() == whole)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 4
    tape.write_bytes(damaged)
    result = run("replay", tape)
    expect("a flipped bit", result, 1, "second ")
    second = int(result.stderr.split("second ")[1].split()[0])
    check("at its second", 0 < second < 19, second)
    tape.write_bytes(whole[: len(whole) * 3 // 4])
    expect("cut off", run("replay", tape), 1, "cut off")
    expect("export of a damaged tape", run("replay", tape, "--export", folder / "y"), 1, "cut off")
    check("the good part", (folder / "y" / "manifest.json").exists() and not (folder / "y.part").exists())
    for name, data in (("empty", b""), ("text", b"hello\n"), ("head", whole[:100])):
        (folder / name).write_bytes(data)
        expect(f"tape {name}", run("replay", folder / name), 1, name)
    expect("no tape", run("replay", folder / "none.tape"), 1, "none.tape")
    expect("no arguments", run("replay"), 2, "name the TAPE")
    expect("another image", run("replay", tape, "--rom", CARTRIDGE), 1, "MD5")
    expect("no agent", run("record", "nobody", "cragfast", "-o", folder / "n.tape"), 1, "nobody", "random")
    expect("no game", run("record", "random", "no_such_game", "-o", folder / "n.tape"), 1, "no_such_game")
    expect("no output", run("record", "random", "cragfast"), 2, "-o")
    expect(
        "bad option of an agent", run("record", "perturb:epsilon=2", "cragfast", "-o", folder / "n.tape"), 1, "epsilon"
    )
    expect("bad sticky", run("record", "random", "cragfast", "-o", folder / "n.tape", "--sticky", "2"), 2, "sticky")
    check("no tape left behind", not (folder / "n.tape").exists())
    expect(
        "folder that is not there",
        run("record", "random", "cragfast", "-o", folder / "no" / "n.tape"),
        1,
        "cannot be created",
    )
    full = run(
        "record", "random", "cragfast", "-o", folder / "full.tape", "--steps", "100000", "--episodes", "0", limit=3000
    )
    expect("a full disk", full, 1, "good up to here")
    result = run("replay", folder / "full.tape", "--json")
    check("a full disk leaves a good tape", json.loads(result.stdout)["seconds"] > 20, result.stdout)
    if not any("ffmpeg" in os.listdir(p) for p in os.environ["PATH"].split(":") if os.path.isdir(p)):
        tape.write_bytes(whole)
        expect("no ffmpeg", run("replay", tape, "--video", folder / "a.mp4"), 1, "ffmpeg", ".gif")


def killed(folder):
    tape = folder / "k.tape"
    process = subprocess.Popen(
        [SIXER, "record", "random", "cragfast", "-o", tape, "--steps", "100000000", "--episodes", "0"],
        stdout=subprocess.DEVNULL,
    )
    deadline = time.time() + 120
    while time.time() < deadline and (not tape.exists() or tape.stat().st_size < 5000):
        time.sleep(0.05)
    process.kill()
    process.wait()
    result = run("replay", tape, "--json")
    report = json.loads(result.stdout)
    check("killed", result.returncode == 1 and not report["complete"], report)
    check("killed, seconds", report["seconds"] > 50 and report["steps"] >= 60 * report["seconds"], report)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        builds_and_cores(folder)
        kept_tapes()
        films_and_datasets(folder)
        levels(folder)
        bad_input(folder)
        killed(folder)
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
