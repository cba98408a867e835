"""The front page: what sixer is, three commands, films of our games, figures. Its texts are those of README.md."""

from __future__ import annotations

import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

import commonmark
from pages import Problem, Stage, section

GAMES = "duskrain sporefall hedgelight cragfast undervault afterglow wispherd hearthring".split()
START, LENGTH = 6, 6  # of a film, in seconds of play


def _film(program: str, game: str) -> bytes:
    """The scripted player plays, as a GIF."""
    with tempfile.TemporaryDirectory() as name:
        tape, film = f"{name}/play.tape", f"{name}/play.gif"
        end = START + LENGTH
        record = ["record", "scripted", game, "-o", tape, "--steps", str((end + 1) * 60), "--frame-skip", "1"]
        replay = ["replay", tape, "--video", film, "--from", str(START), "--to", str(end), "--every", "4"]
        for command in (record, replay):
            subprocess.run([program, *command], check=True, capture_output=True)
        return pathlib.Path(film).read_bytes()


def _films(stage: Stage, program: str) -> None:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        films = {game: pool.submit(_film, program, game) for game in GAMES}
        for game, film in films.items():
            stage.write(f"assets/films/{game}.gif", film.result())


def _gallery(films: bool) -> str:
    tiles = []
    for game in GAMES:
        still = f"games/{game}-play.png"
        film = f"assets/films/{game}.gif" if films else still
        tiles.append(
            f'<a class="game" href="games/{game}.html"><picture>'
            f'<source media="(prefers-reduced-motion: reduce)" srcset="{still}">'
            f'<img src="{film}" alt="{game.title()}, played by the scripted player" width="320" height="210">'
            f"</picture><span>{game.title()}</span></a>"
        )
    return '<div class="gallery">\n' + "\n".join(tiles) + "\n</div>"


def write(stage: Stage, program: str, play: bool, films: bool) -> None:
    if films:
        _films(stage, program)
    readme = (stage.root / "README.md").read_text()
    intro = re.search(r"(?ms)^# sixer\n\n(.*?)\n\n", readme)
    if not intro:
        raise Problem("README.md does not begin with a title and a paragraph")
    template = (pathlib.Path(__file__).parent / "home.html").read_text()
    values = {
        "intro": intro.group(1),
        "gallery": _gallery(films),
        "play": "[Play in the browser](play/sixer.html){ .md-button }" if play else "",
        "what": section(readme, "What it has").rsplit("\n\n", 1)[0],
        "speed": section(readme, "Speed"),
        "c": section(readme, "In C"),
        "python": section(readme, "In Python"),
    }
    text = re.sub(r"\{\{ (\w+) \}\}", lambda match: values[match.group(1)], template)
    head, _, body = text.partition("\n---\n\n")
    body = commonmark.for_python_markdown(stage.rewrite("README.md", body, "index.md"))
    stage.write("index.md", f"{head}\n---\n\n{body}")
