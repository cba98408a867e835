"""The wrappers that people use, around both packages."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from conftest import image
from gymnasium import wrappers
from test_env import equal


def run(env, steps=60, seed=3):
    """Everything that an environment returns."""
    trace = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    for _ in range(steps):
        trace.append(env.step(env.action_space.sample()))
        if trace[-1][2] or trace[-1][3]:
            trace.append(env.reset())
    return [tuple(np.asarray(item) if isinstance(item, np.ndarray) else item for item in row) for row in trace]


def compare(both, wrap, game="breakout", **arguments):
    image(game)
    traces = [run(wrap(module.AtariEnv(game, **arguments))) for module in both]
    for row in zip(*traces, strict=True):
        stripped = [
            [{k: v for k, v in x.items() if k != "episode"} if isinstance(x, dict) else x for x in r] for r in row
        ]
        assert equal(*stripped)


def preprocessing(env, **arguments):
    pytest.importorskip("cv2", reason="AtariPreprocessing needs opencv-python-headless")
    env.spec = gymnasium.envs.registration.EnvSpec("ALE/Breakout-v5", kwargs={"frameskip": 1})
    return wrappers.AtariPreprocessing(env, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"terminal_on_life_loss": True, "noop_max": 0},
        {"grayscale_obs": False, "screen_size": 64},
        {"grayscale_newaxis": True, "scale_obs": True, "frame_skip": 2},
    ],
    ids=str,
)
def test_atari_preprocessing(both, arguments):
    compare(both, lambda env: preprocessing(env, **arguments), frameskip=1)


def test_frame_stack(both):
    compare(both, lambda env: wrappers.FrameStackObservation(env, 4), obs_type="grayscale")
    compare(both, lambda env: wrappers.FrameStackObservation(preprocessing(env), 4), frameskip=1)


def test_record_episode_statistics(six):
    image("breakout")
    env = wrappers.RecordEpisodeStatistics(six.AtariEnv("breakout", max_num_frames_per_episode=40))
    env.reset(seed=1)
    for _ in range(10):
        *_, info = env.step(0)
    assert info["episode"]["l"] == 10


def test_record_video(six, tmp_path):
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    image("breakout")
    six.register_v5_envs()
    env = gymnasium.make("ALE/Breakout-v5", render_mode="rgb_array", max_num_frames_per_episode=120)
    env = wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda episode: True, disable_logger=True)
    env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(1)
        over = terminated or truncated
    env.close()
    assert [path.stat().st_size > 1000 for path in tmp_path.glob("*.mp4")] == [True]


def test_other_wrappers(both):
    compare(both, lambda env: wrappers.ResizeObservation(env, (42, 42)) if cv2() else env, obs_type="grayscale")
    compare(both, lambda env: wrappers.GrayscaleObservation(env))
    compare(both, lambda env: wrappers.ClipReward(wrappers.MaxAndSkipObservation(env, 3), -1, 1), frameskip=1)
    compare(both, lambda env: wrappers.TimeLimit(env, 11))
    compare(both, lambda env: wrappers.DtypeObservation(env, np.float32))


def cv2():
    try:
        import cv2  # noqa: F401
    except ImportError:
        return False
    return True


def test_gymnasium_vectors_of_single_environments(six):
    image("pong")
    six.register_v5_envs()
    for mode in ("sync", "async"):
        arguments = {"vector_kwargs": {"context": "spawn"}} if mode == "async" else {}
        if mode == "async":
            envs = gymnasium.vector.AsyncVectorEnv([make_pong] * 2, context="spawn")
        else:
            envs = gymnasium.make_vec("ALE/Pong-v5", num_envs=2, vectorization_mode=mode, **arguments)
        obs, _ = envs.reset(seed=1)
        assert obs.shape == (2, 210, 160, 3)
        for _ in range(5):
            obs, *_ = envs.step(np.array([2, 3]))
        envs.close()


def make_pong():
    import sixer.ale

    return sixer.ale.AtariEnv("pong")
