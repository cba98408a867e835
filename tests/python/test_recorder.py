"""Environments under a protocol, and the rows that a recorder writes of their episodes."""

import csv
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import sixer
import sixer.ale
import sixer.eval as ev
from sixer.vector import make as make_many

GAME = "duskrain"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "sixer")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def play(env, episodes, seed=1):
    """Random play; the score of every episode after each limit, by a tally of all rewards."""
    rng = np.random.default_rng(seed)
    limits = env.unwrapped.protocol.limits if env.unwrapped.protocol else (18_000, 108_000, 0)
    env.reset(seed=seed)
    scores, rewards, frames, last = [], [], [], 0
    while len(scores) < episodes:
        *_, terminated, truncated, info = env.step(int(rng.integers(4)))
        rewards.append(info["raw_reward"])
        frames.append(info["episode_frames"] - last)
        last = info["episode_frames"]
        if info["end"]:
            scores.append(ev.tally(rewards, frames, limits))
            rewards, frames, last = [], [], 0
        if terminated or truncated:
            env.reset()
    return np.array(scores)


def test_a_protocol_fixes_what_defines_a_score():
    with sixer.make(GAME, protocol="saber", obs="ram", stack=1) as env:
        assert env.protocol == ev.protocol("saber") and env.obs_shape == (1, 128)
        assert len(env.action_meanings()) == 18
        arguments = env._arguments
        assert (arguments["sticky"], arguments["frame_skip"], arguments["scoring"]) == (0.25, 4, "fixed")
        assert (arguments["max_frames"], arguments["stuck_limit"]) == (21_600_000, 18_000)
        assert pickle.loads(pickle.dumps(env)).protocol == env.protocol
    sixer.make(GAME, protocol="saber", frame_skip=4, clip_rewards=True).close()  # what agrees, and what is free
    for wrong in ({"frame_skip": 5}, {"sticky": 0.0}, {"full_actions": False}, {"mode": 1}, {"max_frames": None}):
        with pytest.raises(ValueError, match="saber says"):
            sixer.make(GAME, protocol="saber", **wrong)
        if "mode" not in wrong:
            with pytest.raises(ValueError, match='base = "saber"'):
                make_many(GAME, 2, protocol="saber", **wrong)
    with sixer.make(GAME, protocol="saber") as env, pytest.raises(ValueError, match="saber says"):
        env.reset(options={"level": 3})
    with pytest.raises(ValueError, match="all flavors"):
        sixer.make(GAME, protocol=ev.parse_protocol('name="a"\nbase="saber"\n[environment]\nflavors="all"\n'))


def test_training_and_evaluation_differ():
    """Of nature2015 a lost life ends the episode for the learner only: the game, and its score, go on."""
    with sixer.make(GAME, protocol="nature2015", training=False) as env:
        assert env._arguments["life_loss"] == "ignore" and env._arguments["noop_max"] == 31
    with sixer.make(GAME, protocol="nature2015") as env:
        env.reset(seed=3)
        while True:
            *_, terminated, _, info = env.step(0)
            if terminated:
                break
        assert info["end"] is None and info["lives"] > 0
        _, after = env.reset()
        assert after["episode_frames"] == info["episode_frames"]
        _, fresh = env.reset(seed=3)
        assert fresh["episode_frames"] < info["episode_frames"]
    with sixer.make(GAME, protocol="sixer-levels") as training:
        assert (training._arguments["level"], training._arguments["levels"]) == (0, 200)
        training.reset(options={"level": 7})
        with pytest.raises(ValueError, match="levels"):
            training.reset(options={"level": 201})
    with sixer.make(GAME, protocol="sixer-levels", training=False) as test:
        assert (test._arguments["level"], test._arguments["levels"]) == (200, 56)


@pytest.mark.parametrize("protocol", ["saber", "machado2018", "nature2015", None])
def test_rows_of_one_environment(tmp_path, protocol):
    path = tmp_path / "scores.tsv"
    env = sixer.record(sixer.make(GAME, protocol=protocol, clip_rewards=True), path, agent="random", run=7)
    wanted = play(env, 3)
    env.close()
    written = rows(path)
    assert [row["episode"] for row in written] == ["1", "2", "3"]
    names = [name for name in written[0] if name.startswith("score")]
    if protocol == "saber" or protocol is None:
        assert names == ["score_18000", "score_108000", "score"]
        np.testing.assert_array_equal([[float(row[name]) for name in names] for row in written], wanted)
    else:
        assert names == ["score"]
        np.testing.assert_array_equal([float(row["score"]) for row in written], wanted[:, 0])
    row = written[-1]
    assert row["protocol"] == (str(ev.protocol(protocol)) if protocol else "unstated-protocol")
    assert (row["agent"], row["game"], row["run"], row["end"]) == ("random", GAME, "7", "game over")
    assert (row["version"], row["behavior"], row["reset_seed"]) == (sixer.__version__, str(sixer.__behavior__), "1")
    assert len(row["rom"]) == 32 and int(row["total_frames"]) == sum(int(r["frames"]) for r in written)


def test_rows_of_a_vector_equal_those_of_its_environments(tmp_path):
    steps, count = 1_500, 3
    rng = np.random.default_rng(5)
    actions = rng.integers(0, 18, (steps, count))
    many = sixer.record(make_many(GAME, count, protocol="saber", threads=1), tmp_path / "many.tsv", agent="a")
    many.reset(seed=11)
    ends = [0] * count
    single = [sixer.record(sixer.make(GAME, protocol="saber"), tmp_path / f"{i}.tsv", agent="a") for i in range(count)]
    for i, env in enumerate(single):
        env.reset(seed=11 + i)
    waiting = [False] * count
    for row in actions:
        many.step(row)
        for i, env in enumerate(single):
            if waiting[i]:
                env.reset()
                waiting[i] = False
                continue
            waiting[i] = env.step(int(row[i]))[4]["end"] is not None
            ends[i] += waiting[i]
    keys = ("frames", "score_18000", "score", "steps", "end", "protocol", "reset_seed", "rom")
    got = sorted(tuple(row[key] for key in keys) for row in rows(tmp_path / "many.tsv"))
    wanted = sorted(tuple(row[key] for key in keys) for i in range(count) for row in rows(tmp_path / f"{i}.tsv"))
    assert got == wanted and len(got) == sum(ends) >= 3
    with pytest.raises(NotImplementedError, match="step"):
        many.send(actions[0])
    with pytest.raises(ValueError, match="autoreset"):
        sixer.record(make_many(GAME, 2, autoreset="same"), tmp_path / "x.tsv", agent="a")


def test_a_hash_must_be_earned(tmp_path):
    path = tmp_path / "scores.tsv"
    env = sixer.record(sixer.make(GAME, protocol="saber"), path, agent="a")
    state = None
    for change in ("none", "restore", "set_ram", "abandoned", "none"):
        env.reset(seed=2)
        for step in range(5_000):
            *_, info = env.step(step % 6)
            if step == 20 and change == "restore":
                state = env.unwrapped.save()
                env.unwrapped.restore(state)
            if step == 20 and change == "set_ram":
                env.unwrapped.set_ram(127, int(env.unwrapped.ram()[127]))
            if info["end"] or (step == 30 and change == "abandoned"):
                break
    env.close()
    found = [(row["end"], row["protocol"]) for row in rows(path)]
    stated, unstated = str(ev.protocol("saber")), "unstated-protocol"
    assert found == [
        ("game over", stated),
        ("game over", unstated),
        ("game over", unstated),
        ("abandoned", unstated),
        ("game over", stated),
    ]
    many = make_many(GAME, 2, protocol="saber", threads=1)
    recorded = sixer.record(many, tmp_path / "many.tsv", agent="a")
    recorded.reset(seed=2)
    many.branch(0, [1])
    while len(rows(tmp_path / "many.tsv")) < 2:
        recorded.step([0, 0])
    assert {row["protocol"] for row in rows(tmp_path / "many.tsv")} == {stated, unstated}


def test_sixer_eval_reads_the_rows(tmp_path):
    path = tmp_path / "scores.tsv"
    text = 'name = "short"\nbase = "saber"\n[games]\nlist = ["duskrain"]\n[constants]\ncolumns = ["random", "record"]\n'
    text += "duskrain = [0, 100]\n[training]\nlength = 3000\ncheckpoints = [3000]\n"
    (tmp_path / "short.toml").write_text(text)
    protocol = ev.protocol(tmp_path / "short.toml")
    for run in (1, 2):
        env = sixer.record(sixer.make(GAME, protocol=protocol), path, agent="random", run=run)
        play(env, 5, seed=run)
        env.close()
    results = ev.read_results([path], str(tmp_path / "short.toml"), partial=True)
    assert "unstated-protocol" not in [name for name, _ in results.warnings]
    assert len(results.agents["random"][GAME]) == 2
    # rows that do not state their protocol are read with a warning; rows of another one are refused
    lines = path.read_text().replace(str(protocol), "unstated-protocol", 1)
    path.write_text(lines)
    results = ev.read_results([path], str(tmp_path / "short.toml"), partial=True)
    assert "unstated-protocol" in [name for name, _ in results.warnings]
    (tmp_path / "other.toml").write_text(text.replace("short", "other"))
    command = [SIXER, "eval", path, "--protocol", tmp_path / "other.toml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "mixed protocols" in done.stderr


def test_files_are_continued_or_refused(tmp_path):
    path = tmp_path / "scores.tsv"
    for _ in range(2):
        env = sixer.record(sixer.make(GAME, protocol="saber"), path, agent="a")
        play(env, 2)
        env.close()
    assert [row["episode"] for row in rows(path)] == ["1", "2", "3", "4"]
    with pytest.raises(ValueError, match="other columns"):
        sixer.record(sixer.make(GAME, protocol="machado2018"), path, agent="a")
    with open(path, "a") as file:
        file.write("a\tduskrain")
    with pytest.raises(ValueError, match="breaks off"):
        sixer.record(sixer.make(GAME, protocol="saber"), path, agent="a")
    with pytest.raises(ValueError, match="agent"):
        sixer.record(sixer.make(GAME), tmp_path / "b.tsv", agent="a\tb")
    with pytest.raises(ValueError, match="limits"):
        sixer.record(sixer.make(GAME), tmp_path / "b.tsv", agent="a", limits=(0, 18_000))
    with pytest.raises(TypeError, match="record"):
        sixer.record(object(), tmp_path / "b.tsv", agent="a")
    gymnasium = pytest.importorskip("gymnasium")
    wrapped = gymnasium.wrappers.TimeLimit(sixer.make(GAME), 10)
    with pytest.raises(TypeError, match="wrapper stands between"):
        sixer.record(wrapped, tmp_path / "b.tsv", agent="a")


def test_ale_environments_under_a_protocol():
    env = sixer.ale.AtariEnv("breakout", protocol="machado2018") if sixer.ale.roms.get_rom_path("breakout") else None
    with pytest.raises(ValueError, match=r"saber needs .* sixer.make"):
        sixer.ale.AtariEnv("breakout", protocol="saber")
    if env is None:
        pytest.skip("no image of breakout")
    assert env.action_space.n == 18 and env.protocol.name == "machado2018"
    assert env.ale.getFloat("repeat_action_probability") == 0.25
    assert env.ale.getInt("max_num_frames_per_episode") == 18_000
    env.reset(seed=1)
    *_, info = env.step(0)
    assert info["episode_frame_number"] == 5
    many = sixer.ale.AtariVectorEnv("breakout", 2, protocol="machado2018")
    assert many.single_action_space.n == 18 and many.protocol.name == "machado2018"
    many.reset(seed=1)
    *_, infos = many.step(np.zeros(2, int))
    assert infos["episode_frame_number"].tolist() == [5, 5]  # neither no-ops nor FIRE before the first step
    steps = 0
    while not many.step(np.zeros(2, int))[3].any():
        steps += 1
    assert steps + 2 == 18_000 // 5
    same = sixer.ale.AtariVectorEnv(
        "breakout",
        2,
        frameskip=4,
        repeat_action_probability=0.25,
        noop_max=0,
        use_fire_reset=False,
    )
    other = sixer.ale.AtariVectorEnv("breakout", 2, protocol="dopamine")
    for vec in (same, other):
        vec.reset(seed=3)
    for k in range(300):
        action = np.array([k % 4, (k * 7) % 4])
        for a, b in zip(same.step(action)[:4], other.step(action)[:4], strict=True):
            assert np.array_equal(a, b)


def test_vectors_of_the_reference_refuse_protocols():
    for name, lacks in (("saber", "an end of episodes without reward"), ("sixer-levels", "levels")):
        with pytest.raises(ValueError, match=f"{name} needs .*{lacks}.* AtariVectorEnv .* sixer.make"):
            sixer.ale.AtariVectorEnv("breakout", 2, protocol=name)
    mode = ev.parse_protocol('name="a"\nbase="machado2018"\n[environment]\nflavors="mode 4, difficulty 1"\n')
    with pytest.raises(ValueError, match="the flavor 'mode 4, difficulty 1', which AtariVectorEnv"):
        sixer.ale.AtariVectorEnv("breakout", 2, protocol=mode)
