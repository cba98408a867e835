"""What must work under every supported version of Gymnasium: run by test_python_versions.sh."""

from __future__ import annotations

import sys
import tempfile

import gymnasium
import numpy as np

import sixer
import sixer.ale
import sixer.vector

one = sixer.make("duskrain")
one.reset(seed=1)
assert len(one.step(0)) == 5
many = sixer.vector.make("duskrain", 3)
assert many.reset(seed=1)[0].shape == (3, 4, 84, 84)
assert many.step(np.zeros(3, int))[1].shape == (3,)
with tempfile.TemporaryDirectory() as folder:
    for env, action in ((sixer.make("duskrain"), 0), (sixer.vector.make("duskrain", 2), np.zeros(2, int))):
        recorded = sixer.record(env, f"{folder}/rows.tsv", agent="nobody")
        recorded.reset(seed=1)
        assert len(recorded.step(action)) == 5
        recorded.close()
by_id = gymnasium.make("sixer/Duskrain-v0")
by_id.reset(seed=1)
assert len(by_id.step(0)) == 5
assert sixer.ale.ALEInterface().lives is not None
played = "without images"
try:
    sixer.ale.roms.get_rom_path("pong")
except OSError:
    pass
else:
    for env in (sixer.ale.AtariEnv("pong"), gymnasium.make("ALE/Pong-v5"), gymnasium.make("PongNoFrameskip-v4")):
        first, _ = env.reset(seed=1)
        assert first.shape == (210, 160, 3), first.shape
        assert len(env.step(0)) == 5
    envs = sixer.ale.AtariVectorEnv("pong", 2)
    assert envs.reset(seed=1)[0].shape == (2, 4, 84, 84)
    assert len(envs.step(np.zeros(2, int))) == 5
    played = "with Pong"
print(f"Gymnasium {gymnasium.__version__}, CPython {sys.version.split()[0]}: works, {played}")
