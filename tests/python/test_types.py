"""Type checkers accept a right program and find every mistake of a wrong one."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent / "types"
PACKAGE = HERE.parents[2] / "python"
TOOLS = pathlib.Path(sys.executable).parent


def lines_found(checker: str, *programs: str) -> tuple[dict[str, set[int]], str]:
    """The lines of each program that a checker complains about, and all it says. It reads what they import once."""
    tool = TOOLS / checker
    if not tool.exists():
        pytest.skip(f"{checker} is not installed (tests/reference/requirements.txt)")
    paths = [HERE / program for program in programs]
    if checker == "mypy":
        command = [tool, "--strict", "--cache-dir=/dev/null", "--no-error-summary", *paths]
    else:
        command = [tool, "--level", "error", "--pythonpath", sys.executable, *paths]
    where = {**os.environ, "MYPYPATH": str(PACKAGE), "PYTHONPATH": str(PACKAGE)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=where, cwd=PACKAGE)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = {
        program: {int(line) for line in re.findall(rf"{re.escape(program)}:(\d+):.*error", result.stdout)}
        for program in programs
    }
    return found, result.stdout


@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_programs(checker):
    found, said = lines_found(checker, "right.py", "wrong.py")
    source = (HERE / "wrong.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(source, 1) if "# wrong" in line}
    assert found == {"right.py": set(), "wrong.py": wrong}, said
