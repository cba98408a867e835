"""A program with a mistake in each marked line. A type checker must find every one of them, and nothing else."""

from __future__ import annotations

import sixer
import sixer.ale
import sixer.tapes
import sixer.vector

env = sixer.make("duskrain", sizes=3)  # wrong: no such setting
env = sixer.make("duskrain", size=84)  # wrong: one number
env = sixer.make("duskrain", obs="foo")  # wrong: no such kind
env = sixer.make("duskrain", frame_skip="4")  # wrong: a text
env.stepp(0)  # wrong: no such method
env.step("left")  # wrong: a text for an action
env.restore("x")  # wrong: a text for bytes
envs = sixer.vector.make("duskrain", 2, stick=0.5)  # wrong: no such setting
envs = sixer.vector.make("duskrain", "2")  # wrong: a text for a number
envs.resett()  # wrong: no such method
sixer.tapes.record("duskrain", "play.tape")  # wrong: a text for an environment
sixer.tapes.Tape(3)  # wrong: a number for a path
for event in sixer.tapes.Tape("play.tape").replay():
    print(event.result.reward)  # wrong: only steps have a result
    print(event.actoin)  # wrong: no such field
ale = sixer.ale.ALEInterface()
ale.getRAM(ale.getRAM()).sum()  # wrong: with a buffer, nothing is returned
