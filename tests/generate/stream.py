"""The seeded stream of choices behind every generated cartridge: splitmix64, so that a seed means the same image with
every version of Python."""

MASK64 = (1 << 64) - 1


class Stream:
    def __init__(self, *seed):
        self.state = 0
        for part in seed:  # numbers or names; each is stirred into the state
            for byte in str(part).encode() + b"\0":
                self.state = (self.state ^ byte) * 0x100000001B3 & MASK64
        self.draw()

    def draw(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK64
        return z ^ (z >> 31)

    def below(self, n):
        return (self.draw() >> 32) * n >> 32

    def between(self, low, high):
        """low..high, both included."""
        return low + self.below(high - low + 1)

    def byte(self):
        return self.draw() >> 56

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]

    def weighted(self, pairs):
        """One of [(weight, item), ...]."""
        at = self.below(sum(w for w, _ in pairs))
        for weight, item in pairs:
            at -= weight
            if at < 0:
                return item
        raise AssertionError

    def bytes(self, n):
        return bytes(self.byte() for _ in range(n))
