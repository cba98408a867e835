"""Module by module, everything that ale_py shows is there under the same name, and differences are listed here."""

from __future__ import annotations

import enum
import importlib
import inspect
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import image

MODULES = ["", ".env", ".vector_env", ".registration", ".roms", "._ale_py"]

# what the reference has and we do not: the entry points of JAX, which xla() would need
WITHOUT = {f"_ale_py.VectorXLA{what}{where}" for what in ("Reset", "Step") for where in ("", "GPU")}


def names(module: types.ModuleType) -> set[str]:
    """What a module offers, without modules and helpers that it only imports."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("__")
        and not isinstance(value, types.ModuleType)
        and name not in ("annotations", "ObsType", "lru_cache")
    }


@pytest.fixture(params=MODULES, ids=lambda name: name or "ale_py")
def modules(request, both):
    return request.param, *(importlib.import_module(module.__name__ + request.param) for module in both)


def test_names_of_modules(modules):
    suffix, ref, six = modules
    prefix = suffix[1:] + "." if suffix else ""
    lacking = {prefix + name for name in names(ref) if not hasattr(six, name)}
    assert lacking == {name for name in WITHOUT if name.startswith(prefix) and prefix}


def test_submodules_and_exports(both):
    ref, six = both
    assert ref.__all__ == six.__all__
    assert ref.__version__ == six.__version__ and ref.SDL_SUPPORT == six.SDL_SUPPORT
    for module in both:
        assert module.packagedir == module.__path__[0]
        assert inspect.ismodule(module.roms) and inspect.ismodule(module.registration)


def test_attributes_of_classes(modules):
    """Whatever a class of the reference has, ours has too, and of the same kind."""
    _, ref, six = modules
    checked = 0
    for name in names(ref):
        theirs, ours = getattr(ref, name), getattr(six, name, None)
        if not isinstance(theirs, type) or not theirs.__module__.startswith("ale_py"):
            continue
        checked += 1
        for attribute in dir(theirs):
            if attribute.startswith("__") and attribute not in ("__getstate__", "__setstate__"):
                continue
            assert hasattr(ours, attribute), f"{name}.{attribute}"
            assert callable(getattr(ours, attribute)) == callable(getattr(theirs, attribute)), f"{name}.{attribute}"
    assert checked or not any(
        isinstance(value, type) and value.__module__.startswith("ale_py") for value in vars(ref).values()
    )


def parameters(function):
    """Names, kinds and defaults, without annotations."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


# what ours take beside: keywords only, so that no call that the reference accepts means something else
MORE = {
    f"{name}.__init__": [("protocol", inspect.Parameter.KEYWORD_ONLY, None)] for name in ("AtariEnv", "AtariVectorEnv")
}


def test_signatures(modules):
    """Functions and methods that are written in Python there take the same arguments here."""
    _, ref, six = modules
    for name in names(ref):
        theirs, ours = getattr(ref, name), getattr(six, name, None)
        if inspect.isfunction(theirs) or hasattr(theirs, "cache_info"):
            assert parameters(theirs) == parameters(ours), name
        if isinstance(theirs, type) and theirs.__module__.startswith("ale_py") and not issubclass(theirs, enum.Enum):
            for key, value in vars(theirs).items():
                if inspect.isfunction(value) and key not in ("__annotate_func__",):
                    label = f"{name}.{key}"
                    assert parameters(value) + MORE.get(label, []) == parameters(getattr(ours, key)), label


def test_enumerations(both):
    ref, six = both
    for theirs, ours in (
        (ref.Action, six.Action),
        (ref.LoggerMode, six.LoggerMode),
        (ref._ale_py.AutoresetMode, six._ale_py.AutoresetMode),
    ):
        assert [(m.name, m.value) for m in theirs] == [(m.name, m.value) for m in ours]
    for member in six.Action:
        assert getattr(six._ale_py, member.name) is member
    assert [repr(a) for a in ref.Action] == [repr(a) for a in six.Action]
    assert [str(a) for a in ref.LoggerMode] == [str(a) for a in six.LoggerMode]


@pytest.mark.parametrize("make", ["AtariEnv", "AtariVectorEnv"])
def test_attributes_of_environments(both, make):
    image("pong")
    theirs, ours = (getattr(module, make)("pong", **({"num_envs": 2} if "Vector" in make else {})) for module in both)
    assert set(vars(theirs)) <= set(vars(ours))
    for name, value in vars(theirs).items():
        if name not in ("ale", "_np_random"):
            assert type(vars(ours)[name]) is type(value), name
            assert str(vars(ours)[name]) == str(value), name
    assert str(theirs) == str(ours)


def test_messages(both, tmp_path):
    """Where the reference raises an exception with a message of its own, ours has the same words in it."""
    image("breakout")

    def vector(module, **arguments):
        envs = module.AtariVectorEnv("breakout", 2, **arguments)
        envs.reset(seed=1)
        return envs

    def interface(module):
        ale = module.ALEInterface()
        ale.loadROM(image("breakout"))
        return ale

    zeros = np.zeros((2, 2), np.uint8)
    cases = [
        lambda m: m.AtariEnv("pong", obs_type="x"),
        lambda m: m.AtariEnv("pong", frameskip="x"),
        lambda m: m.AtariEnv("pong", frameskip=-1),
        lambda m: m.AtariEnv("pong", frameskip=(1, 2, 3)),
        lambda m: m.AtariEnv("pong", frameskip=(5, 2)),
        lambda m: m.AtariEnv("pong", frameskip=(-5, 2)),
        lambda m: m.AtariEnv("pong", render_mode="x"),
        lambda m: m.AtariEnv("pong", mode=7),
        lambda m: m.AtariEnv("pong", difficulty=7),
        lambda m: m.AtariEnv("pong", mode=-1),
        lambda m: m.AtariEnv("pong", repeat_action_probability="x"),
        lambda m: m.AtariEnv("pong").reset(seed=-1),
        lambda m: m.AtariEnv("pong").step(100),
        lambda m: m.AtariEnv("pong").render(),
        lambda m: m.AtariEnv("pong", continuous=True).get_keys_to_action(),
        lambda m: m.AtariEnv.map_action_idx(2, 0, False),
        lambda m: interface(m).setRAM(200, 1),
        lambda m: interface(m).act("x"),
        lambda m: interface(m).act(-1),
        lambda m: interface(m).setMode("x"),
        lambda m: interface(m).restoreState(None),
        lambda m: interface(m).getScreen(zeros),
        lambda m: interface(m).getScreenRGB(zeros),
        lambda m: interface(m).getScreenGrayscale(zeros),
        lambda m: interface(m).getRAM(zeros),
        lambda m: m.ALEInterface().setInt("nope", 1),
        lambda m: m.ALEInterface().lives(),
        lambda m: m.ALEInterface().getLegalActionSet(),
        lambda m: m.ALEInterface().loadROM(None),
        lambda m: m.ALEInterface.isSupportedROM("/nope"),
        lambda m: m.ALEState("x"),
        lambda m: m.AtariVectorEnv("Nope", 2),
        lambda m: m.AtariVectorEnv("pong", 2, frameskip=(2, 5)),
        lambda m: m.AtariVectorEnv("pong", 2, autoreset_mode="Disabled"),
        lambda m: m.AtariVectorEnv("pong", 2, grayscale=1),
        lambda m: m.AtariVectorEnv("pong", 2).reset(options={"reset_mask": np.array([True, False])}),
        lambda m: m.AtariVectorEnv("pong", 2).step(np.zeros(2, int)),
        lambda m: vector(m).reset(seed="x"),
        lambda m: vector(m).reset(seed=np.arange(3)),
        lambda m: vector(m).reset(options={"reset_mask": [True, False]}),
        lambda m: vector(m).reset(options={"reset_mask": np.array([True])}),
        lambda m: vector(m, batch_size=1).reset(options={"reset_mask": np.array([True, False])}),
        lambda m: vector(m).step(np.zeros(3, int)),
        lambda m: vector(m).ale.reset([0, 5], [1, 1]),
        lambda m: vector(m).ale.reset([0, 0], [1, 1]),
        lambda m: vector(m).ale.send([0], [1.0]),
    ]
    for number, case in enumerate(cases):
        errors = []
        for module in both:
            with pytest.raises(Exception) as caught, pytest.warns() if number == 31 else Nothing():
                case(module)
            errors.append(caught.value)
        theirs, ours = errors
        assert type(theirs) is type(ours), number
        words = str(theirs).strip().split(". The following")[0].split("; last_recv")[0]
        start, _, rest = words.partition(": incompatible")
        assert (words if not rest else "incompatible" + rest) in str(ours), (number, start)


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_subclasses_may_make_their_own_observations(both):
    image("pong")
    shown = []
    for module in both:

        class Small(module.AtariEnv):
            def _get_obs(self):
                return super()._get_obs()[::2, ::2]

            def _get_info(self):
                return {**super()._get_info(), "mine": 1}

        env = Small("pong", obs_type="grayscale")
        first, _ = env.reset(seed=3)
        shown.append([first, *[env.step(i % 6) for i in range(20)]])
        assert first.shape == (105, 80) and shown[-1][5][4]["mine"] == 1
    theirs, ours = shown
    assert np.array_equal(theirs[0], ours[0])
    for left, right in zip(theirs[1:], ours[1:], strict=True):
        assert np.array_equal(left[0], right[0]) and left[1:] == right[1:]


STAND_IN = """
import sys, warnings
import sixer.ale
sys.modules["ale_py"] = sixer.ale
import ale_py, gymnasium
import ale_py.roms as roms
from ale_py.env import AtariEnv
from ale_py.vector_env import AtariVectorEnv
from ale_py.registration import rom_id_to_name
from ale_py._ale_py import NOOP
from ale_py import ALEInterface, Action, LoggerMode
gymnasium.register_envs(ale_py)
ale = ALEInterface()
ale.loadROM(roms.get_rom_path("pong"))
assert ale.act(Action.NOOP) == 0 and ale.act(NOOP) == 0
env = gymnasium.make("ALE/Pong-v5")
env.reset(seed=1)
assert env.step(0)[0].shape == (210, 160, 3)
envs = gymnasium.make_vec("ALE/Pong-v5", num_envs=2)
assert envs.reset(seed=1)[0].shape == (2, 4, 84, 84)
assert AtariEnv("pong").reset(seed=1)[0].shape == (210, 160, 3)
assert AtariVectorEnv("pong", 2).reset(seed=1)[0].shape == (2, 4, 84, 84)
assert rom_id_to_name("ms_pacman") == "MsPacman"
print("fine")
"""


def test_in_the_place_of_the_package():
    """Programs that say `import ale_py` run when the name leads to us."""
    image("pong")
    run = subprocess.run([sys.executable, "-c", STAND_IN], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "fine" in run.stdout, run.stderr
