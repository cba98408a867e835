"""The C interface of vectors (include/sixer/vec.h) through ctypes and NumPy, for the tests."""

import ctypes as c
import os
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build/release"))

GRAY, RGB, PALETTE, RAM = range(4)
POOL_NONE, POOL_MAX, POOL_MEAN = range(3)
MINIMAL, LEGAL, CODES = range(3)
LIFE_PLAIN, LIFE_INFO, LIFE_END = range(3)
NEXT, SAME, OFF = range(3)
SAVE_CONTROLLER = 1


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("message", c.c_char * 500)]


def fields(header, struct, **known):
    """The fields of a plain struct, read from the header, so that this file cannot fall behind it."""
    text = (ROOT / "include/sixer" / header).read_text()
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    types = {"int": c.c_int, "uint32_t": c.c_uint32, "float": c.c_float, "bool": c.c_bool, **known}
    found = []
    for declaration in filter(str.strip, body.split(";")):
        kind, names = declaration.split(None, 1)
        for name, count in re.findall(r"(\*?\w+)(?:\[(\d+)\])?", names):
            # what is not listed is an enumeration
            type = c.c_void_p if name[0] == "*" else types.get(kind, c.c_int)
            found.append((name.lstrip("*"), type * int(count) if count else type))
    return found


class Config(c.Structure):
    _fields_ = fields("sixer.h", "sixer_config")


class VecConfig(c.Structure):
    _fields_ = fields("vec.h", "sixer_vec_config", sixer_config=Config)


class Slot(c.Structure):
    _fields_ = [("rom", c.c_void_p), ("mode", c.c_int), ("difficulty", c.c_int)]


class Info(c.Structure):
    _fields_ = fields("vec.h", "sixer_vec_info", size_t=c.c_size_t)


class List(c.Structure):
    _fields_ = [("items", c.POINTER(c.c_int)), ("count", c.c_int)]


OUT = [
    ("obs", None),
    ("final_obs", None),
    ("rewards", np.int32),
    ("raw_rewards", np.int32),
    ("terminated", np.uint8),
    ("truncated", np.uint8),
    ("ends", np.uint8),
    ("env_ids", np.int32),
    ("lives", np.int32),
    ("frames", np.int64),
    ("episode_frames", np.int32),
    ("executed", np.int32),
    ("levels", np.int32),
    ("ended", np.uint8),
]


class Out(c.Structure):
    _fields_ = fields("vec.h", "sixer_vec_out")


assert [name for name, _ in Out._fields_] == ["rows"] + [name for name, _ in OUT], "OUT is not what the header has"


class VecError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def load():
    lib = c.CDLL(str(BUILD / "libsixer.so"))
    lib.sixer_vec_config_default.restype = VecConfig
    lib.sixer_vec_describe.restype = Info
    lib.sixer_vec_describe.argtypes = [c.c_void_p]
    lib.sixer_vec_actions.restype = List
    lib.sixer_vec_actions.argtypes = [c.c_void_p, c.c_int]
    lib.sixer_vec_state_size.restype = c.c_size_t
    lib.sixer_vec_state_size.argtypes = [c.c_void_p, c.c_int, c.c_int]
    lib.sixer_vec_state_bound.restype = c.c_size_t
    lib.sixer_vec_state_bound.argtypes = [c.c_void_p, c.c_int]
    lib.sixer_rom_close.argtypes = [c.c_void_p]
    lib.sixer_vec_destroy.argtypes = [c.c_void_p]
    return lib


LIB = load()


def pointer(array):
    return None if array is None else array.ctypes.data_as(c.c_void_p)


def check(code, error):
    if code:
        raise VecError(code, error.message.decode())


class Rom:
    def __init__(self, path):
        self.handle = c.c_void_p()
        error = Error()
        check(LIB.sixer_rom_open(str(path).encode(), None, c.byref(self.handle), c.byref(error)), error)

    def __del__(self):
        LIB.sixer_rom_close(self.handle)


class Result:
    """Arrays for `rows` results."""

    def __init__(self, vec, rows):
        self.out = Out(rows=rows)
        for name, dtype in OUT:
            array = np.zeros((rows, *vec.shape), np.uint8) if dtype is None else np.zeros(rows, dtype)
            setattr(self, name, array)
            setattr(self.out, name, array.ctypes.data)


class Vec:
    """`slots`: a Rom per env, or (Rom, mode, difficulty). Settings of the env start with env_."""

    def __init__(self, slots, **settings):
        config = LIB.sixer_vec_config_default()
        for name, value in settings.items():
            if name.startswith("env_"):
                setattr(config.env, name[4:], value)
            else:
                setattr(config, name, value)
        self.roms = [s if isinstance(s, Rom) else s[0] for s in slots]
        array = (Slot * max(1, len(slots)))()
        for i, s in enumerate(slots):
            rom, mode, difficulty = (s, -1, 0) if isinstance(s, Rom) else s
            array[i] = Slot(rom.handle if rom else None, mode, difficulty)
        self.handle = c.c_void_p()
        error = Error()
        check(LIB.sixer_vec_create(array, len(slots), c.byref(config), c.byref(self.handle), c.byref(error)), error)
        self.info = LIB.sixer_vec_describe(self.handle)
        self.count = self.info.count
        self.shape = tuple(self.info.shape[: self.info.dims])

    def __del__(self):
        if self.handle:
            LIB.sixer_vec_destroy(self.handle)

    def call(self, name, *arguments):
        error = Error()
        check(getattr(LIB, name)(self.handle, *arguments, c.byref(error)), error)

    def actions(self, env):
        actions = LIB.sixer_vec_actions(self.handle, env)
        return [actions.items[i] for i in range(actions.count)]

    def reset(self, mask=None, seeds=None):
        r = Result(self, self.count)
        mask = None if mask is None else np.ascontiguousarray(mask, np.uint8)
        seeds = None if seeds is None else np.ascontiguousarray(seeds, np.int64)
        self.call("sixer_vec_reset", pointer(mask), pointer(seeds), c.byref(r.out))
        return r

    def step(self, actions, strengths=None):
        r = Result(self, self.count)
        actions = np.ascontiguousarray(actions, np.int32)
        strengths = None if strengths is None else np.ascontiguousarray(strengths, np.float32)
        self.call("sixer_vec_step", pointer(actions), pointer(strengths), c.byref(r.out))
        return r

    def send(self, envs, actions):
        envs = np.ascontiguousarray(envs, np.int32)
        actions = np.ascontiguousarray(actions, np.int32)
        self.call("sixer_vec_send", pointer(envs), len(envs), pointer(actions), None)

    def send_reset(self, envs, seeds=None):
        envs = np.ascontiguousarray(envs, np.int32)
        seeds = None if seeds is None else np.ascontiguousarray(seeds, np.int64)
        self.call("sixer_vec_send_reset", pointer(envs), len(envs), pointer(seeds))

    def recv(self, count):
        r = Result(self, count)
        self.call("sixer_vec_recv", count, c.byref(r.out))
        return r

    def save(self, envs, flags=SAVE_CONTROLLER):
        envs = np.ascontiguousarray(envs, np.int32)
        sizes = np.array([LIB.sixer_vec_state_size(self.handle, int(e), flags) for e in envs], np.uintp)
        states = [c.create_string_buffer(int(s)) for s in sizes]
        pointers = (c.c_void_p * len(states))(*[c.addressof(s) for s in states])
        self.call("sixer_vec_save", pointer(envs), len(envs), flags, pointers, pointer(sizes))
        return [s.raw for s in states]

    def load(self, envs, states):
        envs = np.ascontiguousarray(envs, np.int32)
        sizes = np.array([len(s) for s in states], np.uintp)
        pointers = (c.c_char_p * len(states))(*states)
        self.call("sixer_vec_load", pointer(envs), len(envs), pointers, pointer(sizes))

    def copy(self, source, target, flags=SAVE_CONTROLLER):
        source = np.ascontiguousarray(source, np.int32)
        target = np.ascontiguousarray(target, np.int32)
        self.call("sixer_vec_copy", pointer(source), pointer(target), len(source), flags)
