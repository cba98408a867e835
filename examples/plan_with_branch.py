"""Plan by sampling: copy the state into many environments, play on randomly in each, take the best first action.

python examples/plan_with_branch.py [GAME]
"""

import sys

import numpy as np
import sixer.vector

WIDTH, DEPTH, MOVES = 16, 15, 120
game = sys.argv[1] if len(sys.argv) > 1 else "duskrain"
# environment 0 is the real game, the others are its possible futures; observations of memory need no pictures
envs = sixer.vector.make(game, n=1 + WIDTH, obs="ram", stack=1, sticky=0.0, autoreset="off")
count = len(envs.action_meanings())
rng = np.random.default_rng(1)
futures = np.arange(1, 1 + WIDTH)
envs.reset(seed=1)
score = 0
for move in range(MOVES):
    envs.branch(0, futures)
    first = np.arange(WIDTH) % count
    worth = np.zeros(WIDTH)
    alive = np.ones(WIDTH, bool)
    for depth in range(DEPTH):
        actions = first if depth == 0 else rng.integers(count, size=WIDTH)
        envs.send(actions[alive], futures[alive])
        _, rewards, terminated, truncated, info = envs.recv()
        rows = info["env_id"] - 1
        worth[rows] += 0.95**depth * rewards - 1.0 * (info["lives"] < envs.status(0)["lives"])
        alive[rows] &= ~(terminated | truncated)
        if not alive.any():
            break
    best = [worth[first == action].mean() for action in range(count)]
    envs.send([int(np.argmax(best))], [0])
    _, rewards, terminated, truncated, _ = envs.recv()
    score += int(rewards[0])
    if terminated[0] or truncated[0]:
        break
print(f"{game}: score {score} after {move + 1} planned moves")
