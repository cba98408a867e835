#!/usr/bin/env python3
"""The installed libraries, shared and static, define exactly the functions that the public headers declare. A program
that has functions named like internal ones, such as tree_create, links with both and keeps its own. Neither the shared
library nor the program has thread-local storage: it is part of every thread's stack, and libraries that start threads
with small stacks, such as SDL for sound, cannot start them when 64 KB of it are taken."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release"))
LIBRARIES = {"libsixer.so": ["-D"], "libsixer.a": ["-g"]}

# Every name below is that of an internal function of the library.
PROGRAM = """
#include <sixer/agents.h>
int tree_create(void), game_compile(void), md5_hex(void), env_act(void), eval_fail(void);
int tree_create(void) { return 1; }
int game_compile(void) { return 2; }
int md5_hex(void) { return 4; }
int env_act(void) { return 8; }
int eval_fail(void) { return 16; }
int main(void) {
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
  int action;
  sixer_config config = sixer_config_default();
  if (sixer_rom_open("hedgelight", NULL, &rom, NULL) || sixer_env_create(rom, &config, &env, NULL) ||
      sixer_agent_create("uct", "simulations=3", 1, &agent, NULL) ||
      sixer_agent_act(agent, env, sixer_rom_legal_actions(rom), &action, NULL))
    return 1;
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return tree_create() + game_compile() + md5_hex() + env_act() + eval_fail() == 31 ? 0 : 2;
}
"""


def declared():
    """The functions of the public headers, comments apart."""
    names = set()
    for path in (ROOT / "include" / "sixer").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        names |= set(re.findall(r"^SIXER_API\b[^;(]*?\b(\w+)\(", text, re.M))
    return names


def defined(library, flags):
    text = subprocess.run(
        ["nm", *flags, "--defined-only", BUILD / library], check=True, capture_output=True, text=True
    ).stdout
    return {fields[2] for fields in map(str.split, text.splitlines()) if len(fields) == 3}


def main():
    cache = (BUILD / "CMakeCache.txt").read_text()
    if re.search(r"^SIXER_SANITIZE:STRING=.", cache, re.M):
        print("skipped: sanitizers add symbols of their own")
        return 77
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M).group(1)
    public = declared()
    failures = [] if len(public) > 100 else [f"only {len(public)} functions were found in the headers"]
    for library, flags in LIBRARIES.items():
        names = defined(library, flags)
        failures += [f"{library}: {name} is visible and not declared" for name in sorted(names - public)[:10]]
        failures += [f"{library}: {name} is declared and not defined" for name in sorted(public - names)[:10]]
        print(f"{library}: {len(names)} names")
    for name in ("libsixer.so", "sixer"):
        headers = subprocess.run(["readelf", "-lW", BUILD / name], check=True, capture_output=True, text=True).stdout
        if re.search(r"^\s*TLS\s", headers, re.M):
            failures.append(f"{name}: has thread-local storage; keep the memory in the object that uses it")
    with tempfile.TemporaryDirectory() as folder:
        for library in LIBRARIES:
            command = [
                compiler,
                "-xc",
                "-",
                "-xnone",
                "-I",
                ROOT / "include",
                BUILD / library,
                "-lsqlite3",
                "-lz",
                "-lpng",
                "-lpthread",
                "-lm",
                f"-Wl,-rpath,{BUILD}",
                "-o",
                f"{folder}/program",
            ]
            result = subprocess.run(command, input=PROGRAM, capture_output=True, text=True)
            if result.returncode == 0:
                result = subprocess.run([f"{folder}/program"], capture_output=True, text=True)
            if result.returncode:
                failures.append(
                    f"{library}: a program with names of its own: status {result.returncode} {result.stderr[:500]}"
                )
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
