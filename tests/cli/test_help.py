#!/usr/bin/env python3
"""Help, manual page and completions: every command has a help text of at most 80 columns, and all three list the same
commands and options."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
# the words that a command knows as its first argument
WORDS = {
    "games": "check",
    "roms": "import list verify",
    "lab": "run resume status retry export import merge split script films",
    "apex": "learner actor local",
    "model": "export import",
    "bench": "raw vec state reset memory plan agents replay nn deep serve apex",
    "tape": "info repair trim",
    "atari5": "score search nest structure errors models cost",
    "papers": "bellemare2013 machado2018 saber atari5",
    "help": "man bash zsh tsv play roms",
}
failures = []


def run(*arguments):
    return subprocess.run([SIXER, *arguments], capture_output=True, text=True, timeout=60)


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:500]}")


def main():
    usage = run("help").stdout
    commands = [line.split()[0] for line in usage.splitlines() if line.startswith("  ") and line[2] != " "]
    check(
        "commands",
        {"play", "record", "replay", "watch", "baselines", "demo", "trace", "eval"} <= set(commands),
        commands,
    )
    table = [line.split("\t") for line in run("help", "tsv").stdout.splitlines()]
    for command in commands:
        text = run(command, "--help")
        check(f"{command}, status", text.returncode == 0 and not text.stderr, text.stderr)
        lines = text.stdout.splitlines()
        check(f"{command}, usage", lines and lines[0].startswith(f"usage: sixer {command}"), lines[:1])
        for line in lines:
            check(f"{command}, width", len(line) <= 80, line)
        options = [row for row in table if row[0] == command]
        for row in options:
            check(f"{command}, --{row[1]}", f"--{row[1]}" in text.stdout and row[4], row)
            check(f"{command}, value of --{row[1]}", not row[2] or f"--{row[1]} {row[2]}" in text.stdout, row)
        check(f"{command} -h", run(command, "-h").stdout == text.stdout)
        check(f"help {command}", run("help", command).stdout == text.stdout)
        check(
            f"{command}, summary",
            any(
                line.split()[0] == command and len(line.split()) > 2
                for line in usage.splitlines()
                if line.startswith("  ")
            ),
        )
    for line in usage.splitlines():
        check("usage, width", len(line) <= 80, line)
    check("unknown form", run("trace", "--help=paper").returncode == 2)
    check("unknown command", run("help", "frobnicate").returncode == 2)

    manual, bash, zsh = (run("help", form).stdout for form in ("man", "bash", "zsh"))
    for row in table:
        name = row[1].replace("-", "\\-")
        check(f"manual, {row[0]} --{row[1]}", f"\\-\\-{name}" in manual)
        check(f"bash, --{row[1]}", f"--{row[1]} " in bash)
        check(f"zsh, --{row[1]}", f"'--{row[1]}" in zsh)
    for command, known in WORDS.items():
        check(f"zsh, words of {command}", command == "help" or f"'1: :({known})'" in zsh)
        for word in known.split():
            text = run(command, word, "--help")
            check(f"{command} {word}", text.returncode == 0, text.stderr)
    with tempfile.TemporaryDirectory() as folder:
        page, script, function = (pathlib.Path(folder) / n for n in ("sixer.1", "sixer.bash", "_sixer"))
        page.write_text(manual)
        script.write_text(bash)
        function.write_text(zsh)
        if shutil.which("groff"):
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(page)], capture_output=True, text=True)
            check("groff has nothing to say", not result.stderr, result.stderr)
            plain = re.sub(".\x08", "", result.stdout)  # bold is overstruck
            check("manual has sections", "COMMANDS" in plain and "EXIT" in plain, plain[:300])
        else:
            print("SKIPPED groff: not installed")
        for words, wanted in (
            (["sixer", "re"], {"record", "replay"}),
            (["sixer", "record", "ra"], {"random"}),
            (["sixer", "record", "--epi"], {"--episodes"}),
            (["sixer", "play", "hedgeli"], {"hedgelight"}),
            (["sixer", "roms", "im"], {"import"}),
            (["sixer", "games", "ch"], {"check"}),
            (["sixer", "atari5", "s"], {"score", "search", "structure"}),
            *((["sixer", command, ""], set(known.split())) for command, known in WORDS.items()),
            (["sixer", "record", "--output", str(page)[:-3]], {str(page), str(script)}),
        ):
            line = " ".join(f"'{w}'" for w in words)
            result = subprocess.run(
                [
                    "bash",
                    "-c",
                    f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _sixer; "
                    "printf '%s\\n' \"${COMPREPLY[@]}\"",
                ],
                capture_output=True,
                text=True,
                env={**os.environ, "PATH": f"{pathlib.Path(SIXER).parent}:{os.environ['PATH']}"},
            )
            found = set(result.stdout.split())
            check(f"completion of {words}", wanted <= found, (found, result.stderr))
        if shutil.which("zsh"):
            result = subprocess.run(["zsh", "-n", str(function)], capture_output=True, text=True)
            check("zsh has the words", "'1: :(import list verify)'" in zsh)
            check("zsh reads it", result.returncode == 0, result.stderr)
        else:
            print("SKIPPED zsh: not installed")
    for line in failures:
        print("WRONG", line)
    print(f"{len(commands)} commands, {len(table)} options, {len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
