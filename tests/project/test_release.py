#!/usr/bin/env python3
"""What scripts/release checks before it builds anything, in a small repository of its own: one version in the header,
in CITATION.cff and at the top of CHANGES.md, no uncommitted change, no tag of that name. Wrong arguments are errors."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
failures = []


def release(folder, *arguments):
    done = subprocess.run([folder / "scripts" / "release", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(what, found, status, words=""):
    if found[0] != status or words not in found[1]:
        failures.append(f"{what}: wanted {status} {words!r}, found {found}")


def git(folder, *arguments):
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def main():
    if not shutil.which("git"):
        print("skipped: git is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = {
            "include/sixer/sixer.h": '#define SIXER_VERSION "1.2.3"\n',
            "CHANGES.md": "# Changes\n\n## 1.2.3\n\n- new\n\n## 1.2.2\n",
            "CITATION.cff": "version: 1.2.3\n",
            "scripts/release": (ROOT / "scripts" / "release").read_text(),
        }

        def write(**changed):
            """The files as they should be, but for some; committed."""
            for path, text in files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(changed.get(path.split("/")[-1].split(".")[0], text))
            (folder / "scripts" / "release").chmod(0o755)
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "--allow-empty", "-m", "change")

        git(folder, "init", "-q")
        write()
        expect("good", release(folder, "--only", "check"), 0)
        (folder / "new").write_text("")
        expect("uncommitted", release(folder, "--only", "check"), 1, "uncommitted changes")
        (folder / "new").unlink()
        write(CITATION="version: 1.2.2\n")
        expect("citation", release(folder, "--only", "check"), 1, "CITATION.cff names another version than 1.2.3")
        write(CHANGES="# Changes\n\n## 1.2.2\n")
        expect("changes", release(folder, "--only", "check"), 1, "no section '## 1.2.3'")
        write(sixer="\n")
        expect("no version", release(folder, "--only", "check"), 1, "names no version")
        # what only a tag needs; the step after the check fails, since nothing to build is here
        write(CHANGES="# Changes\n\n## Unreleased\n\n## 1.2.3\n")
        expect("not at the top", release(folder), 1, "begins with another section")
        write()
        git(folder, "tag", "v1.2.3")
        expect("tagged", release(folder), 1, "the tag v1.2.3 exists")
        expect("nothing built", release(folder, "--only", "try"), 1, "is not what was built")
        expect("unknown step", release(folder, "--only", "tags"), 2, "check, build or try")
        expect("unknown argument", release(folder, "--dry"), 2, "unknown argument '--dry'")
    for script in ("pristine", "release"):
        found = subprocess.run([ROOT / "scripts" / script, "--help"], capture_output=True, text=True)
        expect(f"{script} --help", (found.returncode, found.stdout), 0, f"scripts/{script}")
    pristine = subprocess.run([ROOT / "scripts" / "pristine", "nowhere", "--", "true"], capture_output=True, text=True)
    expect("pristine", (pristine.returncode, pristine.stderr), 1, "there is no file 'nowhere'")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
