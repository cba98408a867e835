#!/usr/bin/env python3
"""`sixer apex` through TLS (rediss://): a redis-server on the loopback interface with a certificate of the test's own.

A learner and an actor train through it, by the name and by the number of the host. An authority that has not signed the
certificate, a certificate for another name, a certificate that has expired, a plain server and a server that says
nothing are refused with words that say why, and so is a plain client that meets TLS."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from apex_server import SIXER, Server, environment, free_port, skip_without_redis

SMALL = "memory=2000,start=100,period=4,batch=8,target_period=100,trunk=quick,size=20,hidden=16"


def openssl(*arguments: str, cwd: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> None:
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt", cwd=folder)  # fmt: skip


def make_certificate(folder: Path, name: str, authority: str, names: str, days: int = 2) -> list[str]:
    """Signed by an authority for these names; the options of a server that has it."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr", cwd=folder)  # fmt: skip
    (folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", str(days), "-extfile", f"{name}.ext", "-out", f"{name}.crt",
            cwd=folder)  # fmt: skip
    return ["--tls-cert-file", str(folder / f"{name}.crt"), "--tls-key-file", str(folder / f"{name}.key"),
            "--tls-ca-cert-file", str(folder / f"{authority}.crt"), "--tls-auth-clients", "no"]  # fmt: skip


def start_tls(folder: Path, name: str, options: list[str]) -> tuple[Server, int]:
    port, place = free_port(), folder / name
    place.mkdir()
    return Server(place, "--tls-port", str(port), *options), port


def learner(url: str, out: Path, *more: str) -> list[str]:
    return [SIXER, "apex", "learner", "rainbow", "duskrain", "--set", SMALL, "--server", url, "--out", str(out),
            "--quiet", "--timeout", "2", *more]  # fmt: skip


def refused(folder: Path, url: str, words: str, *more: str) -> None:
    command = learner(url, folder / "refused", *more)
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and words in done.stderr, (url, more, words, done.returncode, done.stderr)


def train(folder: Path, url: str, authority: str, name: str) -> None:
    """A learner and an actor that reach each other through TLS only."""
    common = ["--ca", authority, "--run", name]
    command = [*learner(url, folder / name, "--updates", "200", "--evaluation", "0", "--json"), *common]
    first = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE)
    player = subprocess.Popen([SIXER, "apex", "actor", "--server", url, "--quiet", *common], env=environment())
    try:
        out, _ = first.communicate(timeout=120)
        assert first.returncode == 0 and player.wait(60) == 0
    finally:
        for process in (first, player):
            if process.poll() is None:
                process.kill()
                process.wait()
    result = json.loads(out)
    assert result["finished"] and result["updates"] == 200, result
    assert (folder / name / "rainbow_duskrain_1.checkpoint").exists()


def main() -> None:
    skip_without_redis()
    libraries = subprocess.run(["ldd", shutil.which("redis-server") or ""], capture_output=True, text=True).stdout
    nowhere = subprocess.run(learner("rediss://127.0.0.1:1", Path("/nowhere")), capture_output=True, text=True).stderr
    for missing, what in (
        (not shutil.which("openssl"), "the program openssl"),
        ("libssl" not in libraries, "TLS of redis-server"),
        ("no TLS" in nowhere, "TLS of this build (Debian: libssl-dev)"),
    ):
        if missing:
            print(f"skipped: {what} is missing")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="sixer-test-") as temporary:
        folder = Path(temporary)
        for name in ("ours", "theirs"):
            make_authority(folder, name)
        local = "DNS:localhost,IP:127.0.0.1"
        servers = []
        try:
            good, port = start_tls(folder, "good", make_certificate(folder, "local", "ours", local))
            servers.append(good)
            other, other_port = start_tls(
                folder, "other", make_certificate(folder, "away", "ours", "DNS:node7.example")
            )
            servers.append(other)
            old, old_port = start_tls(folder, "old", make_certificate(folder, "late", "ours", local, days=-1))
            servers.append(old)
            (folder / "plain").mkdir()
            plain = Server(folder / "plain", port=free_port())
            servers.append(plain)
            ours, theirs = str(folder / "ours.crt"), str(folder / "theirs.crt")
            train(folder, f"rediss://localhost:{port}", ours, "by-name")
            train(folder, f"rediss://127.0.0.1:{port}/1", ours, "by-number")
            print("trained through TLS", flush=True)
            refused(folder, f"rediss://localhost:{port}", "certificate", "--ca", theirs)
            refused(folder, f"rediss://localhost:{port}", "certificate")  # the system's authorities
            refused(folder, f"rediss://localhost:{port}", "cannot be read", "--ca", str(folder / "nothing.crt"))
            refused(folder, f"rediss://localhost:{other_port}", "hostname mismatch", "--ca", ours)
            refused(folder, f"rediss://127.0.0.1:{other_port}", "IP address mismatch", "--ca", ours)
            refused(folder, f"rediss://localhost:{old_port}", "expired", "--ca", ours)
            refused(folder, f"rediss://localhost:{plain.port}", "redis://", "--ca", ours)
            refused(folder, f"redis://localhost:{port}", "rediss://")
            with socket.create_server(("127.0.0.1", 0)) as silent:
                refused(folder, f"rediss://127.0.0.1:{silent.getsockname()[1]}", "no answer within", "--ca", ours)
            assert not list((folder / "refused").glob("*")), "a refused run has written files"
            print("refused: 9", flush=True)
        finally:
            for server in servers:
                server.kill(signal.SIGTERM)


if __name__ == "__main__":
    main()
