"""Play one episode with random actions and print its score.

python examples/random_play.py [GAME]
"""

import sys

import numpy as np
import sixer

env = sixer.make(sys.argv[1] if len(sys.argv) > 1 else "duskrain")
actions = env.action_meanings()
rng = np.random.default_rng(1)
obs, info = env.reset(seed=1)
steps = lost = 0
over = False
while not over and steps < 2000:
    lives = info["lives"]
    obs, reward, terminated, truncated, info = env.step(int(rng.integers(len(actions))))
    steps += 1
    lost += info["lives"] < lives
    over = terminated or truncated
print(f"{env.game}: {len(actions)} actions, observations {obs.shape} {obs.dtype}")
print(f"score {env.score} after {steps} steps, {lost} lives lost, ended by {info['end']}")
