"""How deep calls may go: as the program says for itself, and for our own work as usual."""

from sys import getrecursionlimit, setrecursionlimit


class Depth:
    def __init__(self) -> None:
        self.usual = getrecursionlimit()
        # The program's own, if it leaves less room than we need; more is in nobody's way.
        self.lowered = 0

    def make_room(self) -> None:
        """For our own work, whatever the program has left; it gets that back."""
        left = getrecursionlimit()
        if left < self.usual:
            setrecursionlimit(self.usual)
            self.lowered = left

    def give_back(self) -> None:
        """The program runs under the limit that it has left."""
        if self.lowered:
            lowered, self.lowered = self.lowered, 0
            setrecursionlimit(lowered)
