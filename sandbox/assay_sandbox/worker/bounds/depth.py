"""The recursion limit: the program's own while it runs, the usual one for our own work."""

from sys import getrecursionlimit, setrecursionlimit


class Depth:
    def __init__(self) -> None:
        self.usual = getrecursionlimit()
        # The program's own limit if that is lower than the usual; a higher one does no harm.
        self.lowered = 0

    def make_room(self) -> None:
        """Raise the limit for our own work, if the program lowered it; `give_back` undoes this."""
        left = getrecursionlimit()
        if left < self.usual:
            setrecursionlimit(self.usual)
            self.lowered = left

    def give_back(self) -> None:
        """Restore the limit that the program has left, before it runs."""
        if self.lowered:
            lowered, self.lowered = self.lowered, 0
            setrecursionlimit(lowered)
