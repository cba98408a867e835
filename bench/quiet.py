"""Measuring at quiet moments, on a machine that other programs use, too.

Works of one thread are measured in processor time, which does not pass while other programs run. They still take
clock and cache away. So a probe is run between any two pieces of a measurement: a loop of additions, which tells the
clock, and reads of 2 MB in random order, which tell the cache. A piece was quiet if both parts of the probes before
and after it are close to the best that was ever seen. Pieces are measured in turn, in rounds, until each of them was
quiet a few times; on a machine that is never quiet, this ends after some rounds, and the result says so.
"""

import dataclasses
import time

LINE = 64  # bytes that a processor's cache fetches at once
WALK = 2 << 20  # bytes
CLOSE = {"clock": 1.05, "cache": 1.15}  # times the best that was seen
QUIET_ROUNDS = 3
MOST_ROUNDS = 5


class Probe:
    """Clock and cache, as the processor time of two small works."""

    def __init__(self):
        import numpy  # in the virtual environment of `bench/compare`

        self.take = numpy.take
        lines = numpy.random.default_rng(1).permutation(WALK // LINE)
        self.memory = numpy.zeros(WALK // 8, numpy.int64)
        self.order = lines * (LINE // 8)  # one number of each line, all lines once
        self.read = numpy.zeros(len(lines), numpy.int64)
        self.best = {"clock": float("inf"), "cache": float("inf")}

    def add(self):
        sum(range(30_000))

    def walk(self):
        self.take(self.memory, self.order, out=self.read, mode="clip")

    @staticmethod
    def seconds(work):
        """Of the best of some runs; the first one only fetches what it needs."""
        work()
        times = []
        for _ in range(4):
            begin = time.thread_time()
            work()
            times.append(time.thread_time() - begin)
        return min(times)

    def __call__(self):
        """The seconds that both take now."""
        now = {"clock": self.seconds(self.add), "cache": self.seconds(self.walk)}
        self.best = {name: min(self.best[name], now[name]) for name in now}
        return now

    def is_quiet(self, now):
        return all(now[name] <= CLOSE[name] * self.best[name] for name in now)


@dataclasses.dataclass
class Best:
    """The best result of a piece: of its quiet rounds, or of all if none was quiet."""

    value: float
    quiet: int  # rounds


class Rounds:
    """Measures pieces in turn. One for a whole run: it remembers how fast the machine can be."""

    def __init__(self, most=MOST_ROUNDS):
        self.most = most
        self.probe = Probe()
        for _ in range(20):
            self.probe()

    def measure(self, pieces):
        """`pieces` is {name: (best, run)}: run() returns numbers by name, and best is max for rates and min for times.
        Returns {name: Best} for all these numbers."""
        results = {}  # name of a number -> (best, [(value, probe before, probe after)])
        quiet = dict.fromkeys(pieces, 0)
        for _ in range(self.most):
            before = self.probe()
            for piece, (best, run) in pieces.items():
                numbers = run()
                after = self.probe()
                quiet[piece] += self.probe.is_quiet(before) and self.probe.is_quiet(after)
                for name, value in numbers.items():
                    results.setdefault(name, (best, []))[1].append((value, before, after))
                before = after
            if all(count >= QUIET_ROUNDS for count in quiet.values()):
                break
        return {name: self.best_of(*found) for name, found in results.items()}

    def best_of(self, best, found):
        # judged once more: the best probe may have become better since
        values = [value for value, *probes in found if all(map(self.probe.is_quiet, probes))]
        return Best(best(values or [value for value, *_ in found]), len(values))
