"""Step 16 environments of two games together; observations are written into an array of the program.

python examples/vector_loop.py [GAME...]
"""

import sys

import numpy as np
import sixer.vector

N, STEPS = 16, 200
envs = sixer.vector.make(sys.argv[1:] or ["duskrain", "sporefall"], n=N, max_frames=400)
memory = np.zeros((STEPS + 1, N, *envs.obs_shape), np.uint8)  # observations are written straight into it
rng = np.random.default_rng(1)
envs.reset(seed=1, obs=memory[0])
returns = np.zeros(N)
episodes = 0
for step in range(STEPS):
    actions = rng.integers(18, size=N)  # with several games, actions are the joystick's 18 positions
    _, rewards, terminated, truncated, info = envs.step(actions, obs=memory[step + 1])
    returns += rewards
    episodes += int((terminated | truncated).sum())
print(f"{envs}: {STEPS * N} steps by {envs.threads} threads, {episodes} episodes ended")
for game in sorted(set(envs.games)):
    mine = [i for i in range(N) if envs.games[i] == game]
    print(f"{game}: mean return {returns[mine].mean():.1f}, brightness {memory[:, mine].mean():.1f}")
