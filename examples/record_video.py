"""Record an episode as a video, with Gymnasium's wrapper (needs gymnasium and moviepy).

python examples/record_video.py [GAME [FOLDER]]
"""

import sys
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import sixer

game = sys.argv[1] if len(sys.argv) > 1 else "duskrain"
folder = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
env = sixer.make(game, render_mode="rgb_array", max_frames=600)
env = gymnasium.wrappers.RecordVideo(env, str(folder), episode_trigger=lambda episode: True, disable_logger=True)
rng = np.random.default_rng(1)
env.reset(seed=1)
over = False
while not over:
    _, _, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))
    over = terminated or truncated
env.close()
for video in folder.glob("*.mp4"):
    print(f"{video}: {video.stat().st_size} bytes")
