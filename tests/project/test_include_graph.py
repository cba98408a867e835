#!/usr/bin/env python3
"""Layers: each folder of src/ includes only the layers below it. The program and the Python module are the first users
of the public API: they include public headers, their own files and src/util, nothing else of the library."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What a layer may include besides itself and public headers. `util` is below everything.
LAYERS = {
    "util": (),
    "machine": ("util",),
    "games": ("util",),
    "env": ("util", "machine", "games"),
    "nn": ("util",),
    "eval": ("util",),
    "agents": ("util", "env", "nn", "eval"),
    "lab": ("util", "env", "eval", "agents"),
    "cli": ("util",),
    "python": ("util",),
}

# The public headers that a layer may include: those of itself and of the layers below it. A header that is not listed
# belongs to the topmost layers.
HEADERS = {
    "sixer.h": "util",
    "ale.h": "env",
    "players.h": "env",
    "catalog.h": "env",
    "vec.h": "env",
    "tape.h": "env",
    "inspect.h": "env",
    "eval.h": "eval",
    "scores.h": "eval",
    "papers.h": "eval",
    "curves.h": "eval",
    "ratings.h": "eval",
}

# Files that still include internal headers: each is a missing function of the public API.
EXCEPTIONS = {}


def layer_of(path):
    return "python" if path.parts[0] == "python" else path.parts[1]


def allowed_header(layer, name):
    owner = HEADERS.get(name)
    if layer in ("cli", "python", "lab", "agents"):
        return True
    return owner is not None and (owner == layer or owner in LAYERS[layer])


def main():
    files = sorted(
        path.relative_to(ROOT) for folder in ("src", "python/src") for path in (ROOT / folder).rglob("*.[ch]")
    )
    failures, graph, unused = [], {}, {name: set(layers) for name, layers in EXCEPTIONS.items()}
    for path in files:
        layer = layer_of(path)
        if layer not in LAYERS:
            failures.append(f"{path}: src/{layer} is not a layer that this test knows")
            continue
        own = {entry.name for entry in (ROOT / path).parent.glob("*.h")}
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line) or re.match(r"\s*#\s*include\s+<(sixer/[^>]+)>", line)
            if not match:
                continue
            target, where = match.group(1), f"{path}:{number}: "
            folder = target.split("/")[0] if "/" in target else None
            if folder == "sixer":
                if not (ROOT / "include" / target).exists():
                    failures.append(f"{where}there is no header {target}")
                elif not allowed_header(layer, target.split("/", 1)[1]):
                    failures.append(f"{where}{layer} is below the layer of {target}")
            elif folder is None:
                if target not in own:
                    failures.append(f"{where}{target} is not in this folder: write the layer, as in util/md5.h")
            elif folder in unused.get(str(path), ()) or folder in EXCEPTIONS.get(str(path), ()):
                unused[str(path)].discard(folder)
            elif folder != layer and folder not in LAYERS[layer]:
                failures.append(f"{where}{layer} may not include {target}")
            else:
                graph.setdefault(layer, set()).add(folder)
    failures += [
        f"{name}: the exception for {', '.join(layers)} is no longer needed"
        for name, layers in unused.items()
        if layers
    ]
    for layer, below in sorted(graph.items()):
        print(f"{layer}: {', '.join(sorted(below - {layer}))}")
    print("\n".join(failures))
    print(f"{len(files)} files, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
