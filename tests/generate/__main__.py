"""Write generated images into a folder, for tests that are not in Python.

    python3 tests/generate FOLDER

Two images of every cartridge type (tour-TYPE.bin, TYPE-SEED.bin), and a few kernels. Existing files are not written
again.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from generate import banks, kernels, tour  # noqa: E402
from generate.stream import Stream  # noqa: E402


def images():
    for kind in banks.TYPES:
        yield f"tour-{kind}", tour.tour(kind)
        for seed in range(1):
            yield f"{kind}-{seed}", banks.bank_image(kind, seed)
    # the types that only have to be safe: no comparison with the reference
    s = Stream("safe types")
    code = b"".join(banks.slot(s, "4K", 64 * (i % 64)) for i in range(2048))
    yield "CV2K-0", banks.bank_image("CV", 7)[2048:]
    yield "AR-0", (code * 2)[:8448]
    yield "AR-1", (code * 2)[4096 : 4096 + 3 * 8448]
    yield "MC-0", code[:131066] + bytes((0x00, 0xF0)) * 3
    for seed in range(3):
        yield f"kernel-{seed}", kernels.kernel(seed)
    yield "pal-0", kernels.pal_kernel(0)
    for seed in range(3):
        yield f"opcodes-{seed}", kernels.opcodes(seed)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{name}.bin": image for name, image in images()}
    for old in folder.glob("*.bin"):
        if old.name not in wanted:
            old.unlink()
    for name, image in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != image:
            path.write_bytes(image)
    print(f"{len(wanted)} images in {folder}")


if __name__ == "__main__":
    main(sys.argv[1])
