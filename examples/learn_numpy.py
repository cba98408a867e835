"""A small learner: one layer of weights over the console's memory, trained by REINFORCE on many environments at once.

    python examples/learn_numpy.py [GAME [UPDATES]]

It is kept short enough for one page and learns to do better than chance.
"""

import sys

import numpy as np
import sixer.vector

game = sys.argv[1] if len(sys.argv) > 1 else "sporefall"
updates = int(sys.argv[2]) if len(sys.argv) > 2 else 40
N, LENGTH, RATE, DISCOUNT = 16, 64, 0.05, 0.95
envs = sixer.vector.make(game, n=N, obs="ram", stack=2, autoreset="next")
actions = len(envs.action_meanings())
rng = np.random.default_rng(0)


def features(obs):
    """The bits of the memory after the last two steps, and a constant."""
    bits = np.unpackbits(obs.reshape(N, -1), axis=1).astype(np.float32)
    return np.concatenate([bits - 0.5, np.ones((N, 1), np.float32)], axis=1)


obs, _ = envs.reset(seed=0)
weights = np.zeros((features(obs).shape[1], actions), np.float32)
history = []
for _ in range(updates):
    inputs, slopes, rewards, lasts = [], [], [], []
    for _step in range(LENGTH):
        x = features(obs)
        logits = x @ weights
        chance = np.exp(logits - logits.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        action = (chance.cumsum(1) > rng.random((N, 1))).argmax(1)
        slope = -chance
        slope[np.arange(N), action] += 1
        obs, reward, terminated, truncated, _ = envs.step(action)
        inputs.append(x)
        slopes.append(slope)
        rewards.append(np.sign(reward))
        lasts.append(terminated | truncated)
    returns, total = np.zeros((LENGTH, N), np.float32), np.zeros(N, np.float32)
    for t in reversed(range(LENGTH)):
        total = rewards[t] + DISCOUNT * total * ~lasts[t]
        returns[t] = total
    advantage = (returns - returns.mean()) / (returns.std() + 1e-6)
    gradient = sum(inputs[t].T @ (slopes[t] * advantage[t][:, None]) for t in range(LENGTH)) / (N * LENGTH)
    weights += RATE * gradient
    history.append(float(np.mean(rewards)))
early, late = np.mean(history[:5]), np.mean(history[-5:])
print(f"{game}: {updates * N * LENGTH} steps, mean reward per step {early:.4f} at first, {late:.4f} at last")
