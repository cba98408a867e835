"""read_results: the scores and warnings of `sixer eval` for the same files."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import sixer.eval as ev

LOGS = pathlib.Path(__file__).resolve().parents[1] / "data" / "logs"


def program(*arguments: object) -> dict:
    line = [sys.executable, "-m", "sixer", "eval", *map(str, arguments), "--json", "--games"]
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


def test_logs(tmp_path):
    sb3 = tmp_path / "sb3"
    sb3.mkdir()
    for seed in range(3):
        (sb3 / f"seed{seed}.monitor.csv").write_bytes((LOGS / "sb3" / "seed4.monitor.csv").read_bytes())
    files = {
        "sb3": str(sb3 / "*.csv"),
        "cleanrl": LOGS / "PongNoFrameskip-v4__ppo_atari__3__1700000000",
        "dqn": LOGS / "dqn_Pong_1",
    }
    results = ev.read_results(files, "dopamine", checkpoint=1_000_000, partial=True)
    assert list(results.agents) == ["sb3", "cleanrl", "dqn"]
    assert results.agents["dqn"]["pong"].tolist() == [-19.1]
    assert results.agents["sb3"]["pong"].tolist() == [-10.4] * 3
    same = program(
        *(f"{agent}={place}" for agent, place in files.items()),
        *("--protocol", "dopamine", "--checkpoint", "1M", "--partial"),
    )
    expected = {row["agent"]: (row["runs"], row["score"], row["normalized"]) for row in same["games"]}
    for agent, games in results.agents.items():
        normalized = results.normalized(agent)["pong"]
        assert expected[agent][:2] == (len(games["pong"]), pytest.approx(np.mean(games["pong"]), abs=0.005))
        assert 100 * np.mean(normalized) == pytest.approx(expected[agent][2], abs=0.005)
    read = [text for _, text in results.warnings]
    assert read == [w["text"] for w in same["warnings"]][: len(read)]
    assert "unstated-protocol" in {name for name, _ in results.warnings}
    assert ev.iqm(results.normalized("sb3")) == pytest.approx(np.mean(results.normalized("sb3")["pong"]))


def test_agents_of_files(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("game,score,agent,run,protocol\npong,1,x,1,atari100k\npong,3,x,2,atari100k\npong,5,y,1,atari100k\n")
    results = ev.read_results(file, ev.protocol("atari100k"), partial=True)
    assert {agent: games["pong"].tolist() for agent, games in results.agents.items()} == {"x": [1, 3], "y": [5]}
    assert "unstated-protocol" not in {name for name, _ in results.warnings}
    with pytest.raises(ValueError, match="several agents"):
        ev.read_results({"z": file}, "atari100k", partial=True)
    with pytest.raises(ValueError, match="lacks 25 of the 26 games"):
        ev.read_results([file], "atari100k")
    with pytest.raises(ValueError, match="no agent 'q'"):
        results.normalized("q")


def test_the_protocol_of_the_rows(tmp_path):
    file = tmp_path / "a.csv"
    for stated, found in (("saber", "saber@1"), ("nature2015@1", "nature2015@1"), ("nature2015", "nature2015@2")):
        file.write_text(f"game,score,frames,protocol\npong,1,200000000,{stated}\n")
        for files in (file, {"me": str(tmp_path / "*.csv")}):
            results = ev.read_results(files, partial=True)
            assert f"{results.protocol.name}@{results.protocol.version}" == found
            assert ev.read_curves(files).protocol == results.protocol
    file.write_text("game,score,run,protocol\npong,1,1,saber\npong,2,2,dopamine\n")
    with pytest.raises(ValueError, match="a.csv:3: mixed protocols"):
        ev.read_results(file, partial=True)
    file.write_text("game,score,protocol\npong,1,mine@3#0123456789\n")
    with pytest.raises(ValueError, match="made under 'mine@3#0123456789', which is none"):
        ev.read_results(file, partial=True)
    file.write_text("game,score\npong,1\n")
    with pytest.raises(ValueError, match="The files do not name it"):
        ev.read_results(file, partial=True)


def test_mistakes(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ev.read_results("nowhere.csv", "saber")
    with pytest.raises(ValueError, match="no file matches"):
        ev.read_results({"a": "nowhere/*.csv"}, "saber")
    with pytest.raises(ValueError, match="NAME=FILE"):
        ev.read_results({"a": []}, "saber")
    with pytest.raises(ValueError, match="limit is -5"):
        ev.read_results({"a": "x"}, "saber", limit=-5)
    with pytest.raises(ValueError, match="reports no scores at 7"):
        ev.read_results({"a": "x"}, "saber", checkpoint=7)
    with pytest.raises(ValueError, match="not the path"):
        ev.read_results({"a": "x\0y"}, "saber")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"game": "pong", "score": NaN}\n')
    with pytest.raises(ValueError, match=r"bad.jsonl:1: the score of pong is NaN"):
        ev.read_results({"a": bad}, "saber", partial=True)
