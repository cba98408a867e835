"""How the samples of this folder were made: README.md says more.

pip install tensorboardX gymnasium pandas numpy tensorflow-cpu tensorboard gin-config absl-py
pip install --no-deps stable-baselines3 dopamine-rl
python make_logs.py FOLDER
"""

import importlib.util
import pathlib
import sys

import gymnasium
import numpy as np
from tensorboardX import SummaryWriter

folder = pathlib.Path(sys.argv[1])

# CleanRL: runs/{env_id}__{exp_name}__{seed}__{time}
writer = SummaryWriter(str(folder / "PongNoFrameskip-v4__ppo_atari__3__1700000000"))
writer.add_text("hyperparameters", "|param|value|\n|-|-|\n|seed|3|")
for i in range(110):
    step = 2500 * (i + 1)
    writer.add_scalar("charts/episodic_return", float(i % 21 - 20), step)
    writer.add_scalar("charts/episodic_length", 10000, step)
    if i % 10 == 0:
        writer.add_scalar("charts/SPS", 800 + i, step)
writer.close()

# Stable-Baselines3
place = importlib.util.find_spec("stable_baselines3").submodule_search_locations[0]
spec = importlib.util.spec_from_file_location("monitor", pathlib.Path(place) / "common" / "monitor.py")
monitor = importlib.util.module_from_spec(spec)
spec.loader.exec_module(monitor)


class Episodes(gymnasium.Env):
    """Ten thousand steps; the n-th episode gives n mod 21 - 20 points."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)
    spec = gymnasium.envs.registration.EnvSpec("PongNoFrameskip-v4")
    count = -1

    def reset(self, *, seed=None, options=None):
        self.count += 1
        self.left = 10000
        return np.int64(0), {}

    def step(self, action):
        self.left -= 1
        done = self.left == 0
        return np.int64(0), float(self.count % 21 - 20) if done else 0.0, done, False, {"lives": 3}


env = monitor.Monitor(Episodes(), str(folder / "sb3" / "seed4"), info_keywords=("lives",))
for _ in range(110):
    env.reset()
    while not env.step(0)[2]:
        pass
env.close()

# Dopamine: what Runner does after each iteration, without an agent
from dopamine.discrete_domains import iteration_statistics, logger  # noqa: E402
from dopamine.metrics import collector_dispatcher, statistics_instance  # noqa: E402

run = folder / "dqn_Pong_1"
written = logger.Logger(str(run / "logs"))
dispatcher = collector_dispatcher.CollectorDispatcher(str(run))
for iteration in range(11):
    statistics = iteration_statistics.IterationStatistics()
    returns = {"train": [], "eval": []}
    for phase, count in (("train", 10), ("eval", 5)):
        for episode in range(count):
            # sums of rewards are Python's floats or NumPy's, by the environment
            score = (float, np.float64)[episode % 2](iteration + episode % 3 - 20)
            returns[phase].append(score)
            statistics.append({phase + "_episode_lengths": 25000, phase + "_episode_returns": score})
        statistics.append({phase + "_average_return": sum(returns[phase]) / count})
    statistics.append({"train_average_steps_per_second": 812.5})
    written["iteration_%d" % iteration] = statistics.data_lists
    written.log_to_file("log", iteration)
    dispatcher.write(
        [
            statistics_instance.StatisticsInstance(name, value, iteration)
            for name, value in (
                ("Train/NumEpisodes", 10),
                ("Train/AverageReturns", float(np.mean(returns["train"]))),
                ("Eval/AverageReturns", float(np.mean(returns["eval"]))),
            )
        ]
    )
    dispatcher.flush()
dispatcher.close()
