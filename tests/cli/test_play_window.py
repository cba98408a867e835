#!/usr/bin/env python3
# label: long, 20 s
"""`sixer play` and `sixer watch` in a window under Xvfb, driven by a script of synthetic events and its own clock: the
window shows the core's frames, the tape replays, rewinding and save slots restore exactly, the sound is the core's, the
speed is right, and keys, pads and the mouse work. Without a display there is an error message."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import display  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
failures = []
folder = None


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:600]}")


def sixer(*arguments, **environment):
    return subprocess.run(
        [SIXER, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={**os.environ, "XDG_DATA_HOME": str(folder / "data"), **environment},
    )


def play(script, *arguments, command="play", scale=1, **environment):
    """Run the window with a script; what it printed. Small, because Xvfb draws slowly."""
    (folder / "script").write_text(script)
    driver = environment.pop("audio", "dummy")
    result = subprocess.run(
        [SIXER, command, *map(str, arguments), "--scale", str(scale)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={
            **os.environ,
            **display.variables(),
            "XDG_DATA_HOME": str(folder / "data"),
            "SDL_AUDIODRIVER": driver,
            "SIXER_PLAY_SCRIPT": str(folder / "script"),
            "LSAN_OPTIONS": "detect_leaks=0",
            **environment,
        },
    )
    check(f"{command} {arguments}", result.returncode == 0, result.stderr)
    return result.stdout


def ppm(name):
    data = (folder / name).read_bytes()
    magic, size, _, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return width, height, pixels


def frames_of(tape, name, *more):
    """The pictures of a tape in colors, by the core alone."""
    result = sixer("replay", tape, "--export", name, "--observations", "rgb,ram", *more)
    check(f"replay of {tape}", "verified" in result.stdout, result.stderr)
    data = (folder / name / "rgb.npy").read_bytes()
    shape = eval(data[10:128])["shape"]
    rows = shape[1]
    return rows, [data[128 + i * rows * 480 : 128 + (i + 1) * rows * 480] for i in range(shape[0])]


def actions_of(tape, name):
    result = sixer("replay", tape, "--export", name, "--observations", "none")
    check(f"replay of {tape}", "verified" in result.stdout, result.stderr)
    return list((folder / name / "actions.npy").read_bytes()[128:])


def same_picture(shown, picture, rows, aspect=12 / 7):
    """The middle of every pixel as it is shown has its color."""
    width, height, pixels = shown
    wide, high = width, round(width / (160 * aspect / rows))
    if high > height:
        wide, high = round(height * 160 * aspect / rows), height
    left, top = (width - wide) // 2, (height - high) // 2
    for y in range(rows):
        for x in range(160):
            u, v = left + int((x + 0.5) * wide / 160), top + int((y + 0.5) * high / rows)
            at = 3 * (v * width + u)
            if pixels[at : at + 3] != picture[3 * (y * 160 + x) : 3 * (y * 160 + x) + 3]:
                return False
    return True


def test_frames():
    play(
        """0 clock 0.004
        20 key down Space
        30 key up Space
        40 key down Left
        60 key down Up
        80 key up Left
        90 key up Up
        200 dump a.ppm
        210 size 1000 500
        260 dump b.ppm
        261 size 700 900
        300 dump c.ppm
        320 quit""",
        "hedgelight",
        "--record",
        "frames.tape",
        scale=3,
    )
    rows, pictures = frames_of("frames.tape", "frames")
    check("steps", len(pictures) in (321, 322), len(pictures))
    for name, frame in (("a", 200), ("b", 260), ("c", 300)):
        shown = ppm(f"{name}.ppm")
        check(f"the window at frame {frame}", same_picture(shown, pictures[frame], rows), shown[:2])
    check("the pictures differ", pictures[200] != pictures[260])
    check("size", ppm("b.ppm")[:2] == (1000, 500), ppm("b.ppm")[:2])
    actions = actions_of("frames.tape", "frame_actions")
    wanted = [0] * 20 + [1] * 10 + [0] * 10 + [4] * 20 + [7] * 20 + [2] * 10 + [0] * 100
    check("actions of keys", actions[:190] == wanted, actions[:100])


def test_pads():
    play(
        """0 clock 0.004
        10 pad 0 down dpright
        20 pad 0 up dpright
        30 pad 0 down a
        40 pad 0 up a
        50 pad 0 axis leftx=-32000
        50 pad 0 axis lefty=20000
        60 pad 0 axis leftx=0
        70 pad 0 axis lefty=0
        80 pad 0 down back
        90 pad 0 down back
        100 pad 0 down start
        120 quit""",
        "hedgelight",
        "--record",
        "pads.tape",
    )
    actions = actions_of("pads.tape", "pads")
    wanted = [0] * 10 + [3] * 10 + [0] * 10 + [1] * 10 + [0] * 10 + [9] * 10 + [5] * 10 + [0] * 10
    check("actions of pads", actions[:80] == wanted, actions[:80])
    check("pause by a pad", len(actions) in (110, 111), len(actions))
    report = json.loads((folder / "pads" / "manifest.json").read_text())["episodes"]
    check("start begins a new game", len(report) == 2, report)


def test_mouse():
    games = folder / "games"
    games.mkdir()
    (games / "turner.game").write_text("""game turner
title "Turner"
md5 bdd1ea84d43df09893da5666c90b02f9
left_controller paddles
actions NOOP FIRE RIGHT LEFT
step { reward = 0 }
""")
    play(
        """0 clock 0.004
        60 mouse 100
        100 mouse -30
        120 button down
        130 button up
        160 quit""",
        ROOT / "tests" / "cartridges" / "paddles.bin",
        "--record",
        "mouse.tape",
        SIXER_GAMES=str(games),
    )
    result = sixer(
        "replay",
        "mouse.tape",
        "--rom",
        ROOT / "tests" / "cartridges" / "paddles.bin",
        "--export",
        "mouse",
        "--observations",
        "ram",
        SIXER_GAMES=str(games),
    )
    check("mouse tape", "verified" in result.stdout, result.stderr)
    actions = list((folder / "mouse" / "actions.npy").read_bytes()[128:])
    # 100 pixels are 120,000 ohms: five frames at full strength and one at less
    check("right", actions[60:66] == [3] * 6 and set(actions[66:100]) == {0}, actions[55:100])
    check("left", actions[100:102] == [4] * 2 and actions[103] == 0, actions[98:106])
    check("button", actions[120:130] == [1] * 10, actions[115:135])


def test_back_and_slots():
    out = play(
        """0 clock 0.004
        10 key down Up
        100 state at100
        100 key up Up
        101 key down F5
        150 key down Right
        200 key up Right
        220 key down Backspace
        340 key up Backspace
        340 state back
        341 dump back.ppm
        360 key down Down
        400 key up Down
        401 key down F7
        402 state loaded
        500 key down P
        510 key down .
        520 key down .
        530 key down P
        540 key down F4
        545 key down F2
        550 key down F4
        555 state level
        560 quit""",
        "cragfast",
        "--record",
        "back.tape",
        "--sticky",
        "0.25",
        "--level",
        "254",
    )
    at100, back = (folder / "at100").read_bytes(), (folder / "back").read_bytes()
    check("going back restores exactly", at100 == back, (len(at100), len(back)))
    slots = list((folder / "data" / "sixer" / "states").iterdir())
    check("a slot is a file", len(slots) == 1, slots)
    check("steps", "steps" in out, out)
    result = sixer("replay", "back.tape", "--json")
    report = json.loads(result.stdout)
    check("the tape of it replays", report["verified"] and report["complete"], report)
    info = sixer("replay", "back.tape", "--info").stdout
    check("with jumps", "with jumps" in info, info)
    sixer("replay", "back.tape", "--export", "back_data", "--observations", "ram")
    flavors = [
        (e["mode"], e["level"]) for e in json.loads((folder / "back_data" / "manifest.json").read_text())["episodes"]
    ]
    check("levels and modes by keys", flavors[0] == (0, 254) and flavors[-3:] == [(0, 255), (1, 255), (1, 0)], flavors)
    # the slot in another session
    play(
        """0 clock 0.004
        50 key down P
        52 key down F7
        54 state slot
        70 quit""",
        "cragfast",
        "--sticky",
        "0.25",
    )
    saved, loaded = slots[0].read_bytes(), (folder / "slot").read_bytes()  # a slot ends with a checksum
    check("slots are restored exactly", saved[:-4] == loaded, len(saved))


def test_speed():
    """Frames per second of the script's clock: a key every so many frames is seen at its time."""
    for game, rate in (("hedgelight", 59.9227), (str(ROOT / "tests" / "cartridges" / "pal.bin"), 49.8607)):
        for clock in ("0.001", "0.005", "0.0101"):
            out = play(f"0 clock {clock}\n600 time 600.txt\n600 quit", game)
            seconds = float((folder / "600.txt").read_text())
            check(f"pace of {game} at clock {clock}", abs(600 / seconds - rate) < 0.01 * rate, (600 / seconds, rate))
            check("steps", " 60" in out or "599" in out, out)
    for key, factor in (("Tab", 4), ("`", 16)):
        play(f"0 clock 0.001\n0 key down {key}\n3200 time fast.txt\n3300 quit", "hedgelight")
        seconds = float((folder / "fast.txt").read_text())
        check(f"turbo by {key}", abs(3200 / seconds / 59.9227 / factor - 1) < 0.03, 3200 / seconds / 59.9227)


def hear():
    """Play 300 frames with sound. Returns how many of the core's frames of sound the device got in order, how many
    there were, and the bytes that the device got: the disk driver writes what it is sent."""
    out = play(
        "0 clock 0.004\n0 listen\n10 key down Space\n12 key up Space\n60 key down Right\n300 quit",
        "duskrain",
        "--record",
        "sound.tape",
        audio="disk",
        SDL_DISKAUDIOFILE=str(folder / "sound.raw"),
        SDL_DISKAUDIODELAY="1",
    )
    heard = (folder / "sound.raw").read_bytes()
    wanted = sixer("replay", "sound.tape", "--sound", "core.raw")
    check("sound of the tape", wanted.returncode == 0, (wanted.stderr, out))
    core = (folder / "core.raw").read_bytes()
    check("sound length", len(core) in (300 * 512, 301 * 512), len(core))
    check("there is sound", len(set(core)) > 2, set(core))
    # the device gets every frame of the core's sound, except those still queued at the end, with silence wherever it
    # asked before the next frame was ready
    chunks = [core[i : i + 512] for i in range(0, len(core), 512)]
    at = found = 0
    for chunk in chunks:
        where = heard.find(chunk, at)
        if where >= 0:
            at, found = where + len(chunk), found + 1
    return found, len(chunks), heard


def test_sound():
    """The core's samples are heard, frame after frame."""
    found, frames, heard = hear()
    told = (found, frames, len(heard), heard[:8].hex())
    check("the core's samples are heard in order", found > frames - 20, told)


def test_watch():
    out = play(
        "0 clock 0.004\n30 key down O\n31 key down O\n100 dump w.ppm\n5000 quit",
        "random",
        "sporefall",
        "--episodes",
        "1",
        "--max-frames",
        "300",
        "--record",
        "watch.tape",
        command="watch",
    )
    check("watched an episode", "1 episode ended" in out, out)
    recorded = json.loads(sixer("replay", "watch.tape", "--json").stdout)
    check("its tape", recorded["verified"] and recorded["frames"] <= 300, recorded)
    out = play("0 clock 0.004\n9000 quit", "watch.tape", command="watch")
    check("watched the tape", f"{recorded['steps']} steps" in out, out)


def test_players():
    """Two people: player 1 has the left half of the keyboard, player 2 the arrows or the keypad."""
    memory = []
    for name, key, other in (
        ("still", "D", "F10"),
        ("left", "D", "Left"),
        ("pad", "D", "Keypad_4"),
        ("right", "A", "Left"),
        ("fire", "D", "/"),
    ):
        script = f"0 clock 0.004\n30 key down {key}\n30 key down {other}\n70 quit\n"
        play(script, "wispherd", "--players", "2", "--record", f"{name}.tape")
        result = sixer("replay", f"{name}.tape", "--export", name, "--observations", "ram")
        check(f"replay of {name}.tape", "verified" in result.stdout, result.stderr)
        memory.append((folder / name / "ram.npy").read_bytes()[-128:])
    still, left, pad, right, fire = memory
    check("player 2 has moved", still != left == pad, "the arrows or the keypad are not its keys")
    check("player 1 has moved", left != right, "w a s d are not its keys")
    check("the button of player 2", fire != still, "/ is not it")
    play("0 clock 0.004\n40 quit\n", "hearthring", "--players", "4", "--people", "2", "--against", "random")

    # a person who does nothing against a trained model sees what the same agents play in `sixer watch`
    sixer("train", "sarsa", "wispherd", "--frames", "500", "--frame-skip", "5", "--out", "runs")
    model = folder / "runs" / "sarsa_wispherd_1.checkpoint"
    play("0 clock 0.004\n150 quit\n", "wispherd", "--against", model, "--record", "person.tape")
    idle = ("const:action=NOOP", "wispherd", "--against", model, "--max-frames", "200", "--episodes", "1")
    sixer("watch", *idle, "--record", "agents.tape", "--video", "last.png")
    rows = []
    for name in ("person", "agents"):
        result = sixer("replay", f"{name}.tape", "--export", name, "--observations", "ram")
        check(f"replay of {name}.tape", "verified" in result.stdout, result.stderr)
        rows.append((folder / name / "ram.npy").read_bytes()[-128 * json.loads(
            sixer("replay", f"{name}.tape", "--json").stdout)["steps"]:])  # fmt: skip
    short, long = sorted(rows, key=len)
    check("a model plays against a person", len(short) > 128 * 100 and long.startswith(short), (len(short), len(long)))


def test_errors():
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    result = subprocess.run(
        [SIXER, "play", "hedgelight"], capture_output=True, text=True, timeout=60, env=environment, cwd=folder
    )
    check("no display", result.returncode == 1 and "--terminal" in result.stderr, result.stderr)
    result = sixer("play", "no_such_game", SDL_VIDEODRIVER="dummy")
    check("no image", result.returncode == 1 and "no_such_game" in result.stderr, result.stderr)
    result = sixer("play", "hedgelight", "--scale", "99")
    check("scale", result.returncode == 2 and "scale" in result.stderr, result.stderr)
    out = play("0 clock 0.004\n100 quit", "hedgelight", audio="no_such_driver")
    check("no sound device is no reason to stop", "100 steps" in out or "101 steps" in out, out)
    result = sixer("watch", "hedgelight")
    check("watch what", result.returncode == 2 and "neither a tape nor a checkpoint" in result.stderr, result.stderr)


def test_real_keys():
    """Keys from the X server itself, if xdotool is there."""
    if not shutil.which("xdotool"):
        print("SKIPPED keys from the X server: xdotool is not installed")
        return
    script = f"""{SIXER} play hedgelight --record {folder}/x.tape & pid=$!
for i in $(seq 600); do id=$(xdotool search --name sixer | head -n 1); [ -n "$id" ] && break; sleep 0.1; done
xdotool windowfocus "$id"; sleep 0.5
xdotool keydown --window "$id" Left; sleep 0.7; xdotool keyup --window "$id" Left; sleep 0.3
xdotool key --window "$id" Escape; wait $pid"""
    result = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env={
            **os.environ,
            **display.variables(),
            "SDL_AUDIODRIVER": "dummy",
            "XDG_DATA_HOME": str(folder / "data"),
        },
    )
    check("real keys", result.returncode == 0, result.stderr)
    actions = actions_of("x.tape", "x")
    check("Left was held", 4 in actions and set(actions) == {0, 4}, actions)


def main():
    global folder
    if not display.available():
        print(f"SKIPPED: {display.MISSING}")
        return 77
    if (
        "built without SDL2"
        in subprocess.run(
            [SIXER, "play", "hedgelight"],
            capture_output=True,
            text=True,
            env={**os.environ, "SDL_VIDEODRIVER": "no_such"},
        ).stderr
    ):
        print("SKIPPED: this build has no window (SDL2 was not found)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for test in (
            test_frames,
            test_pads,
            test_mouse,
            test_back_and_slots,
            test_speed,
            test_sound,
            test_watch,
            test_players,
            test_errors,
            test_real_keys,
        ):
            before = len(failures)
            test()
            print(f"{test.__name__}: {'ok' if len(failures) == before else 'WRONG'}", flush=True)
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
