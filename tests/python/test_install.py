"""sixer.ale.install() stands in for ale_py in the whole process. Each case is a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

BOTH = """
import gymnasium, sixer.ale
def makers():
    return {gymnasium.spec(id).entry_point.split(".")[0] for id in ("ALE/Pong-v5", "PongNoFrameskip-v4")}
"""

CASES = {
    "before the other import": """
sixer.ale.install()
import ale_py
from ale_py.vector_env import AtariVectorEnv
from ale_py import roms, _ale_py
import ale_py.env, ale_py.registration
gymnasium.register_envs(ale_py)
assert ale_py is sixer.ale and AtariVectorEnv is sixer.ale.AtariVectorEnv and roms is sixer.ale.roms
assert ale_py.env.AtariEnv is sixer.ale.AtariEnv and _ale_py.ALEInterface is sixer.ale.ALEInterface
assert makers() == {"sixer"}, makers()
""",
    "after the other import": """
import ale_py
gymnasium.register_envs(ale_py)
assert makers() == {"ale_py"}, makers()
sixer.ale.install()
import ale_py
assert ale_py is sixer.ale and makers() == {"sixer"}, makers()
""",
    "images are still found": """
sixer.ale.install()
import ale_py
env = gymnasium.make("ALE/Pong-v5")
assert type(env.unwrapped) is sixer.ale.AtariEnv
""",
}

# nothing has imported sixer before
BY_ID = """
import gymnasium
env = gymnasium.make("sixer.ale:ALE/Pong-v5")
assert type(env.unwrapped).__module__ == "sixer.ale.env", type(env.unwrapped)
"""


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("case", CASES)
def test_install(both, case):
    run(BOTH + CASES[case])


@pytest.mark.parametrize("before", ["", "import ale_py\n"], ids=["alone", "after ale_py"])
def test_by_module_and_id(both, before):
    run(before + BY_ID)
