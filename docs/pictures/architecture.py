"""Draw docs/pictures/architecture.svg: the layers of src/ and what passes between them."""

import pathlib

LAYERS = [
    ("cli", "the program: main.c, one file per subcommand", "#dbe7f5"),
    ("agents", "baselines, planners, learners; training runs", "#e3f0dc"),
    ("eval", "protocols, scores, statistics, subset search", "#e3f0dc"),
    ("env", "episodes, actions, observations, states, vectors, tapes", "#fbeed3"),
    ("games", "the rules language: score, lives and game over from RAM", "#fbeed3"),
    ("machine", "the console: 6502, TIA, RIOT, cartridges, sound", "#f6ded9"),
    ("util", "random numbers, hashes, threads, containers, files that are replaced atomically", "#e9e9ee"),
]
W, LEFT, RIGHT = 900, 20, 560
out = []


def text(x, y, words, size=13, weight="normal", anchor="start", color="#222"):
    out.append(
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="{color}">{words}</text>'
    )


def box(x, y, w, h, color, name, words):
    out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{color}" stroke="#555"/>')
    text(x + 12, y + 21, name, 15, "bold")
    text(x + 12, y + 39, words, 11.5)


def arrow(x1, y1, x2, y2, words="", side=8):
    out.append(f'<path d="M{x1} {y1} L{x2} {y2}" stroke="#444" stroke-width="1.6" fill="none" marker-end="url(#tip)"/>')
    if words:
        text(max(x1, x2) + side, (y1 + y2) / 2 + 4, words, 11.5, color="#444")


text(LEFT, 24, "Layers: each uses those below it", 14, "bold")
box(
    LEFT,
    40,
    RIGHT - LEFT,
    50,
    LAYERS[0][2],
    "src/cli, python/",
    "the program and the Python package: public headers only",
)
box(LEFT, 110, 262, 50, LAYERS[1][2], "src/agents", "baselines, planners, learners, training")
box(LEFT + 278, 110, 262, 50, LAYERS[2][2], "src/eval", "protocols, scores, statistics")
box(LEFT, 180, RIGHT - LEFT, 50, LAYERS[3][2], "src/env", LAYERS[3][1])
box(LEFT, 250, RIGHT - LEFT, 50, LAYERS[4][2], "src/games  +  games/*.game", LAYERS[4][1])
box(LEFT, 320, RIGHT - LEFT, 50, LAYERS[5][2], "src/machine", LAYERS[5][1])
box(LEFT, 390, RIGHT - LEFT, 50, LAYERS[6][2], "src/util", LAYERS[6][1])

x = 640
text(RIGHT + 30, 24, "One step", 14, "bold")
arrow(x, 65, x, 130, "act: an action")
arrow(x, 140, x, 200, "frames, sticky actions (act.c)")
arrow(x, 210, x, 340, "one frame: joystick in")
text(x + 8, 362, "60 times a second: 262 lines,", 11.5, color="#444")
text(x + 8, 378, "RAM, 160 pixels x 210 rows out", 11.5, color="#444")
y = 850
arrow(y, 340, y, 280)
text(y - 8, 300, "RAM", 11.5, anchor="end", color="#444")
arrow(y, 270, y, 210)
text(y - 8, 236, "reward, lives, end", 11.5, anchor="end", color="#444")
arrow(y, 195, y, 70)
text(y - 8, 112, "observation", 11.5, anchor="end", color="#444")
text(RIGHT + 30, 420, "src/eval never sees a console: it gets rows of scores.", 11.5, color="#444")

svg = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} 460" font-family="Helvetica, Arial, sans-serif">'
    '<defs><marker id="tip" markerWidth="9" markerHeight="9" refX="7" refY="3.5" orient="auto">'
    '<path d="M0 0 L8 3.5 L0 7 z" fill="#444"/></marker></defs>'
    f'<rect width="{W}" height="460" fill="white"/>' + "".join(out) + "</svg>\n"
)
pathlib.Path(__file__).with_suffix(".svg").write_text(svg)
