"""A program that both type checkers accept in their strict modes."""

from __future__ import annotations

import gymnasium
import numpy as np

import sixer
import sixer.ale
import sixer.tapes
import sixer.vector


def episode(env: gymnasium.Env[np.ndarray[tuple[int, ...], np.dtype[np.uint8]], int]) -> float:
    env.reset(seed=1)
    return float(env.step(0)[1])


env = sixer.make("duskrain", obs="gray", size=(84, 84), frame_skip=(2, 5), life_loss="info", stack=None)
obs, info = env.reset(seed=1)
obs, reward, terminated, truncated, info = env.step(0)
total: float = reward + episode(env)
state: bytes = env.save()
with env.branch() as twin:
    twin.restore(state)

envs = sixer.vector.make(["duskrain", ("duskrain", None, 0)], 4, sticky=0.25, stack=4)
batch, infos = envs.reset(seed=[1, 2, None, 4])
batch, rewards, ended, cut, infos = envs.step(np.zeros(4, np.int64))
pixels: int = int(batch.sum())

with sixer.tapes.record(sixer.make("duskrain"), "play.tape", by="me") as recorded:
    recorded.reset(seed=1)
    recorded.step(0)
tape = sixer.tapes.Tape("play.tape")
for event in tape.replay():
    if event.result is not None:
        total += event.result.reward
envs.start_tape(0, "first.tape")

ale = sixer.ale.ALEInterface()
memory = ale.getRAM()
size: int = memory.size
ale.getRAM(memory)
