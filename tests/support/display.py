"""A display without a screen: one Xvfb for all windows of a test. It chooses a number that is free itself and says when
it is ready. (Two `xvfb-run -a` that start at once may choose the same number.)"""

import atexit
import os
import shutil
import subprocess

MISSING = "Xvfb is not installed (apt-get install xvfb)"


def available():
    return shutil.which("Xvfb") is not None


def start():
    """Start it; the number of the display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(stop, server)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        raise RuntimeError(f"Xvfb ended with status {server.wait()}")
    return number


def stop(server):
    server.terminate()
    server.wait()


def variables():
    """The variables that show a program the display."""
    if "number" not in started:
        started["number"] = start()
    return {"DISPLAY": f":{started['number']}", "XAUTHORITY": os.devnull}


started = {}
