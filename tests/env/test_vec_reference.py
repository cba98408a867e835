"""Vectors equal AtariVectorEnv of ale-py, byte for byte: observations, rewards, flags, lives and counters.

    tests/env/test_vec_reference.py [GAME...]      only these games, longer

Every setting is met at least once; sizes shrink, box, and enlarge; both reset conventions; partial resets and seeds.
All games are compared at their starts and resets, with frame skip 1 and 4.
"""

# label: whole
import pathlib
import sys

try:
    import ale_py
    import gymnasium as gym
    import numpy as np
    from ale_py.vector_env import AtariVectorEnv
    from ale_py import roms
except ImportError as missing:
    print(f"SKIP: {missing}; the comparison with the reference needs ale-py and gymnasium")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import vec_library as v  # noqa: E402

# ale-py has four more images, of games for several players, which its vectors do not play
GAMES = (pathlib.Path(__file__).resolve().parents[2] / "games").glob("*.game")
KNOWN = {path.stem for path in GAMES if "\ngymnasium " in path.read_text()}
MODES = {v.NEXT: gym.vector.AutoresetMode.NEXT_STEP, v.SAME: gym.vector.AutoresetMode.SAME_STEP}


class Pair:
    """The same vector twice."""

    def __init__(self, game, count, autoreset=v.NEXT, **kwargs):
        self.game, self.count, self.autoreset = game, count, autoreset
        self.reference = AtariVectorEnv(game, count, autoreset_mode=MODES[autoreset], **kwargs)
        life = (
            v.LIFE_END if kwargs.get("episodic_life") else v.LIFE_INFO if kwargs.get("life_loss_info") else v.LIFE_PLAIN
        )
        self.vec = v.Vec(
            [v.Rom(roms.get_rom_path(game))] * count,
            autoreset=autoreset,
            life_loss=life,
            obs=v.GRAY if kwargs.get("grayscale", True) else v.RGB,
            threads=min(count, 2),
            pool=v.POOL_MAX if kwargs.get("maxpool", True) else v.POOL_NONE,
            height=kwargs.get("img_height", 84),
            width=kwargs.get("img_width", 84),
            stack=kwargs.get("stack_num", 4),
            noop_max=kwargs.get("noop_max", 30),
            fire_start=kwargs.get("use_fire_reset", True),
            clip_rewards=kwargs.get("reward_clipping", True),
            actions=v.LEGAL if kwargs.get("full_action_space") else v.MINIMAL,
            env_max_frames=kwargs.get("max_num_frames_per_episode", 108000),
            env_frame_skip=kwargs.get("frameskip", 4),
            env_sticky=kwargs.get("repeat_action_probability", 0.0),
        )
        self.ends = self.bytes = 0

    def fail(self, step, what, row, ours, theirs):
        print(f"{self.game}: step {step}, env {row}: {what} is {ours}, the reference has {theirs}")
        sys.exit(1)

    def compare_obs(self, step, what, ours, theirs):
        assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
        self.bytes += ours.size
        if not np.array_equal(ours, theirs):
            row = int(np.argwhere((ours != theirs).reshape(len(ours), -1).any(1))[0, 0])
            differ = np.argwhere(ours[row] != theirs[row])
            self.fail(
                step,
                f"{what}{differ[0].tolist()} ({len(differ)} bytes differ)",
                row,
                ours[row][tuple(differ[0])],
                theirs[row][tuple(differ[0])],
            )

    def compare_info(self, step, r, info):
        for name, ours in (
            ("lives", r.lives),
            ("frame_number", r.frames),
            ("episode_frame_number", r.episode_frames),
            ("env_id", r.env_ids),
        ):
            if not np.array_equal(ours, info[name]):
                row = int(np.argwhere(ours != info[name])[0, 0])
                self.fail(step, name, row, ours[row], info[name][row])

    def reset(self, step=0, seed=None, mask=None):
        ids = np.arange(self.count) if mask is None else np.flatnonzero(mask)
        seeds = np.full(self.count, -1, np.int64)
        if seed is not None:
            seeds[ids] = np.arange(seed, seed + len(ids))
        options = None if mask is None else {"reset_mask": mask}
        obs, info = self.reference.reset(seed=seed, options=options)
        r = self.vec.reset(mask=mask, seeds=seeds)
        self.compare_obs(step, "obs of the reset", r.obs, obs)
        self.compare_info(step, r, info)

    def step(self, step, actions):
        obs, reward, terminated, truncated, info = self.reference.step(actions)
        r = self.vec.step(actions)
        self.compare_obs(step, "obs", r.obs, obs)
        for name, ours, theirs in (
            ("reward", r.rewards, reward),
            ("terminated", r.terminated, terminated),
            ("truncated", r.truncated, truncated),
        ):
            if not np.array_equal(ours, theirs):
                row = int(np.argwhere(ours != theirs)[0, 0])
                self.fail(step, name, row, ours[row], theirs[row])
        self.compare_info(step, r, info)
        ended = (r.terminated | r.truncated).astype(bool)
        self.ends += int(ended.sum())
        if self.autoreset == v.SAME:
            over = r.ends != 0
            if over.any():
                self.compare_obs(step, "final obs", r.final_obs[over], info["final_obs"][over])

    def play(self, steps, seed=1, partial=0):
        random = np.random.default_rng(seed)
        n = len(self.vec.actions(0))
        self.reset(seed=seed * 100)
        hold = np.zeros(self.count, np.int64)
        for step in range(1, steps + 1):
            change = random.random(self.count) < 0.4
            hold[change] = random.integers(0, n, int(change.sum()))
            if partial and step % partial == 0:
                mask = random.random(self.count) < 0.5
                self.reset(step, seed=None if random.random() < 0.5 else step, mask=mask)
            self.step(step, hold.copy())
        return self


# game, envs, steps, settings
CASES = [
    ("breakout", 3, 500, {}),
    ("breakout", 2, 400, dict(autoreset=v.SAME)),
    ("pong", 2, 1500, dict(repeat_action_probability=0.25)),
    ("ms_pacman", 3, 500, dict(episodic_life=True)),
    ("ms_pacman", 3, 500, dict(episodic_life=True, autoreset=v.SAME, repeat_action_probability=0.25)),
    ("seaquest", 2, 600, dict(life_loss_info=True)),
    ("seaquest", 2, 300, dict(life_loss_info=True, autoreset=v.SAME, reward_clipping=False)),
    ("montezuma_revenge", 2, 400, dict(full_action_space=True)),
    ("space_invaders", 3, 300, dict(max_num_frames_per_episode=97, autoreset=v.SAME)),
    ("space_invaders", 3, 300, dict(max_num_frames_per_episode=98)),
    ("space_invaders", 2, 300, dict(max_num_frames_per_episode=99, frameskip=3)),
    ("space_invaders", 2, 300, dict(max_num_frames_per_episode=99, frameskip=5, maxpool=False, autoreset=v.SAME)),
    ("breakout", 2, 300, dict(frameskip=1)),
    ("breakout", 2, 300, dict(frameskip=1, stack_num=1, episodic_life=True, autoreset=v.SAME)),
    ("breakout", 2, 300, dict(frameskip=2, episodic_life=True)),
    ("asterix", 2, 200, dict(frameskip=7, noop_max=0, use_fire_reset=False)),
    ("freeway", 2, 200, dict(noop_max=1, stack_num=2)),
    ("enduro", 2, 150, dict(grayscale=False)),
    ("ms_pacman", 2, 200, dict(grayscale=False, img_height=210, img_width=160, episodic_life=True)),
    ("qbert", 2, 300, dict(episodic_life=True)),
    ("tetris", 2, 300, dict(max_num_frames_per_episode=300)),
    ("tic_tac_toe_3d", 2, 200, {}),
    ("air_raid", 2, 200, {}),
    ("pooyan", 2, 200, dict(grayscale=False, img_height=64, img_width=64)),
    ("journey_escape", 2, 150, dict(img_height=110, img_width=84)),
    ("pitfall2", 2, 150, {}),
    ("skiing", 2, 100, dict(full_action_space=True)),
]
SIZES = [
    (105, 80),
    (70, 40),
    (210, 80),
    (42, 32),
    (84, 96),
    (96, 84),
    (64, 64),
    (35, 20),
    (210, 160),
    (1, 1),
    (7, 160),
    (210, 84),
    (220, 160),
    (210, 200),
    (168, 168),
    (300, 320),
    (100, 161),
    (211, 100),
    (128, 128),
]


# how an episode starts: noop_max, use_fire_reset
STARTS = [(0, False), (1, False), (0, True), (30, True)]


def starts_and_resets(names):
    """Every game: each way of starting, both reset conventions, with and without frame skip. Episodes are cut short, so
    that most steps are near a reset."""
    for i, game in enumerate(names):
        for j, (noops, fire) in enumerate(STARTS):
            for skip in (1, 4):
                for autoreset in (v.NEXT, v.SAME):
                    yield (
                        game,
                        2,
                        30 if skip == 4 else 60,
                        dict(
                            autoreset=autoreset,
                            frameskip=skip,
                            noop_max=noops,
                            use_fire_reset=fire,
                            episodic_life=(i + j) % 2 == 0,
                            max_num_frames_per_episode=70,
                            repeat_action_probability=0.25 if (i + j) % 3 == 0 else 0.0,
                        ),
                    )


def main():
    games = sys.argv[1:]
    total = ends = 0
    if games:
        cases = [
            (g, 2, 1000, dict(repeat_action_probability=0.25, episodic_life=i % 2 == 0)) for i, g in enumerate(games)
        ]
        cases += starts_and_resets(games)
    else:
        cases = CASES + [
            ("ms_pacman", 1, 12, dict(img_height=h, img_width=w, grayscale=gray, stack_num=1))
            for h, w in SIZES
            for gray in (True, False)
        ]
        cases += [
            ("adventure", 1, 12, dict(img_height=h, img_width=w, stack_num=1))
            for h, w in ((84, 84), (125, 80), (50, 40), (250, 160))
        ]
        cases += starts_and_resets(sorted(set(roms.get_all_rom_ids()) & KNOWN))
    for game, count, steps, settings in cases:
        partial = 40 if steps >= 200 else 0
        pair = Pair(game, count, **settings).play(steps, partial=partial)
        total += pair.bytes
        ends += pair.ends
    print(
        f"equal: {len(cases)} vectors, {ends} ends of episodes, {total:,} bytes of observations "
        f"(ale-py {ale_py.__version__})"
    )


if __name__ == "__main__":
    main()
