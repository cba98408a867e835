"""`python -m sixer` runs the program `sixer` of this package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sixer import _images


def main() -> int:
    """Run the program with the arguments of this process. It takes the place of the interpreter."""
    here = Path(__file__).resolve().parent
    name = "sixer.exe" if os.name == "nt" else "sixer"
    places = [here / "bin" / name, Path(__file__).absolute().parents[2] / name]
    program = next((place for place in places if place.is_file() and os.access(place, os.X_OK)), None)
    if program is None:
        print(f"sixer: the program is missing; looked for {places[0]}", file=sys.stderr)
        return 1
    # the images that this interpreter would find, also where no virtual environment is active
    if "SIXER_ROMS" not in os.environ:
        spec = _images.package_folder()
        if spec is not None and not any(Path(folder).is_dir() for folder in _images.user_folders()):
            os.environ["SIXER_ROMS"] = str(spec)
    sys.stdout.flush()
    if os.name == "nt":  # there it would go on beside the shell that started this
        return subprocess.run([program, *sys.argv[1:]]).returncode
    os.execv(program, ["sixer", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
