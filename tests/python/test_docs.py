"""The Python examples on the pages about the package run, each page's from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import image

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs" / "python.md",
    ROOT / "docs" / "evaluation.md",
    ROOT / "docs" / "tutorials" / "05-own-agent-in-python.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text())
    assert blocks
    if any(re.search(r"pong|breakout|ALE/", block, re.I) for block in blocks):
        for game in ("pong", "breakout"):
            image(game)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
