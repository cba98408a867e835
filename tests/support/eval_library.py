"""The shared library's evaluation functions through ctypes, on NumPy arrays. Used by the comparisons with rliable and
SciPy and by the benchmark. Scores are matrices of runs x games, as in rliable."""

import ctypes as C
import os

import numpy as np

AGGREGATES = ("mean", "median", "iqm", "optimality_gap", "capped_mean")
DOUBLES = C.POINTER(C.c_double)


class Error(C.Structure):
    _fields_ = [("code", C.c_int), ("message", C.c_char * 500)]


class Sample(C.Structure):
    _fields_ = [("scores", DOUBLES), ("runs", C.POINTER(C.c_size_t)), ("games", C.c_size_t)]


class Bootstrap(C.Structure):
    _fields_ = [
        ("cookie", C.c_uint32),
        ("replicates", C.c_size_t),
        ("confidence", C.c_double),
        ("seed", C.c_uint64),
        ("threads", C.c_int),
        ("resample_games", C.c_bool),
        ("cap", C.c_double),
        ("aggregates", C.c_uint),
        ("values", DOUBLES),
    ]


class Interval(C.Structure):
    _fields_ = [("value", C.c_double), ("low", C.c_double), ("high", C.c_double)]


class Welch(C.Structure):
    _fields_ = [("t", C.c_double), ("df", C.c_double), ("p", C.c_double)]


class Data(C.Structure):
    _fields_ = [("x", DOUBLES), ("y", DOUBLES), ("rows", C.c_size_t), ("games", C.c_size_t)]


class Fit(C.Structure):
    _fields_ = [
        ("games", C.c_int * 16),
        ("coefficients", C.c_double * 16),
        ("intercept", C.c_double),
        ("size", C.c_size_t),
        ("rows", C.c_size_t),
        ("r2", C.c_double),
        ("mae", C.c_double),
        ("cv_mse", C.c_double),
        ("cv_mae", C.c_double),
        ("cv_r2", C.c_double),
        ("relative_error", C.c_double),
    ]


class Search(C.Structure):
    _fields_ = [
        ("cookie", C.c_uint32),
        ("size", C.c_size_t),
        ("required", C.POINTER(C.c_int)),
        ("required_count", C.c_size_t),
        ("excluded", C.POINTER(C.c_bool)),
        ("kind", C.c_int),
        ("folds", C.c_int),
        ("seed", C.c_uint32),
        ("top", C.c_size_t),
        ("reference", C.POINTER(C.c_int)),
        ("threads", C.c_int),
        ("progress", C.c_void_p),
        ("context", C.c_void_p),
    ]


class SearchResult(C.Structure):
    _fields_ = [
        ("subsets", C.c_uint64),
        ("negative", C.c_uint64),
        ("unfit", C.c_uint64),
        ("found", C.c_size_t),
        ("reference_rank", C.c_uint64),
        ("reference_cv_mse", C.c_double),
    ]


def library(build=None):
    build = build or os.environ.get("SIXER_BUILD", "build/release")
    lib = C.CDLL(os.path.join(build, "libsixer.so"))
    lib.sixer_bootstrap_default.restype = Bootstrap
    lib.sixer_search_default.restype = Search
    lib.sixer_published_atari5.restype = Data
    lib.sixer_student_p.restype = C.c_double
    lib.sixer_student_p.argtypes = [C.c_double, C.c_double]
    lib.sixer_welch_test.argtypes = [C.c_double] * 6 + [C.POINTER(Welch), C.POINTER(Error)]
    return lib


def check(code, error):
    if code:
        raise ValueError(error.message.decode())


def pointer(array):
    return array.ctypes.data_as(DOUBLES)


def sample(scores):
    """A sample of a runs x games matrix. The arrays must stay alive: they are attributes of the result."""
    values = np.ascontiguousarray(np.asarray(scores, dtype=np.float64).T)
    runs = (C.c_size_t * values.shape[0])(*[values.shape[1]] * values.shape[0])
    made = Sample(pointer(values), runs, values.shape[0])
    made.keep = values, runs
    return made


def aggregates(lib, scores):
    out, error, made = (C.c_double * 5)(), Error(), sample(scores)
    check(lib.sixer_aggregates_compute(C.byref(made), C.c_double(2), out, C.byref(error)), error)
    return dict(zip(AGGREGATES, out))


def bootstrap(lib, scores, replicates=50000, seed=0, threads=0, only=None, games=False):
    settings, out, error, made = lib.sixer_bootstrap_default(), (Interval * 5)(), Error(), sample(scores)
    settings.replicates, settings.seed, settings.threads, settings.resample_games = replicates, seed, threads, games
    if only:
        settings.aggregates = 1 << AGGREGATES.index(only)
    check(lib.sixer_bootstrap_aggregates(C.byref(made), C.byref(settings), out, C.byref(error)), error)
    return {name: (i.value, i.low, i.high) for name, i in zip(AGGREGATES, out)}


def profile(lib, scores, kind, points):
    points = np.asarray(points, dtype=np.float64)
    out, error, made = np.empty(len(points)), Error(), sample(scores)
    check(
        lib.sixer_profile_compute(
            C.byref(made), kind, pointer(points), C.c_size_t(len(points)), pointer(out), C.byref(error)
        ),
        error,
    )
    return out


def profile_bands(lib, scores, kind, points, replicates, seed=0):
    points = np.asarray(points, dtype=np.float64)
    settings, out, error, made = lib.sixer_bootstrap_default(), (Interval * len(points))(), Error(), sample(scores)
    settings.replicates, settings.seed = replicates, seed
    check(
        lib.sixer_bootstrap_profile(
            C.byref(made), kind, pointer(points), C.c_size_t(len(points)), C.byref(settings), out, C.byref(error)
        ),
        error,
    )
    return np.array([(i.low, i.high) for i in out])


def improvement(lib, x, y, replicates=None, seed=0):
    out, error, a, b = C.c_double(), Error(), sample(x), sample(y)
    if replicates is None:
        check(lib.sixer_improvement_compute(C.byref(a), C.byref(b), C.byref(out), C.byref(error)), error)
        return out.value
    settings, out = lib.sixer_bootstrap_default(), Interval()
    settings.replicates, settings.seed = replicates, seed
    check(
        lib.sixer_bootstrap_improvement(C.byref(a), C.byref(b), C.byref(settings), C.byref(out), C.byref(error)), error
    )
    return out.value, out.low, out.high


def welch(lib, a, b):
    a, b = np.ascontiguousarray(a, dtype=np.float64), np.ascontiguousarray(b, dtype=np.float64)
    out, error = Welch(), Error()
    check(
        lib.sixer_welch_samples(
            pointer(a), C.c_size_t(len(a)), pointer(b), C.c_size_t(len(b)), C.byref(out), C.byref(error)
        ),
        error,
    )
    return out.t, out.df, out.p


def atari5_data(lib, by_name=False):
    """Log scores (algorithms x games, NaN where not reported), log medians, names of the games."""
    published, error, games = C.c_void_p(), Error(), C.POINTER(C.c_char_p)()
    check(lib.sixer_published_open(C.byref(published), C.byref(error)), error)
    data = lib.sixer_published_atari5(published, by_name, None, C.byref(games))
    x = np.ctypeslib.as_array(data.x, (data.rows, data.games)).copy()
    y = np.ctypeslib.as_array(data.y, (data.rows,)).copy()
    names = [games[i].decode() for i in range(data.games)]
    lib.sixer_published_close(published)
    return x, y, names


def search(lib, x, y, size=5, excluded=(), threads=0, kind=0, seed=0, folds=10):
    x, y = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
    flags = (C.c_bool * x.shape[1])(*[i in excluded for i in range(x.shape[1])])
    settings, fit, result, error = lib.sixer_search_default(), Fit(), SearchResult(), Error()
    settings.size, settings.excluded, settings.threads = size, flags, threads
    settings.kind, settings.seed, settings.folds = kind, seed, folds
    data = Data(pointer(x), pointer(y), *x.shape)
    check(
        lib.sixer_subset_search(C.byref(data), C.byref(settings), C.byref(fit), C.byref(result), C.byref(error)), error
    )
    return tuple(fit.games[:size]), np.array(fit.coefficients[:size]), fit.cv_mse, result
