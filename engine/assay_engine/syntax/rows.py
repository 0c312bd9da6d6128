"""Shows a row of items, or some of them, in a given room: ``1, 2, … 9``."""

from __future__ import annotations

from msgspec import Struct, field

LEFT_OUT = "…"


class Row(Struct):
    """Which of a number of items are shown, by their places, and the texts they are shown as.

    An ellipsis stands in the place of each run of other items. `is_cut` says that an ellipsis
    stands before the first item in any case.
    """

    room: int
    places: int
    separator: str
    is_cut: bool = False
    shown: dict[int, str] = field(default_factory=dict[int, str])
    # The characters of the items shown, with a separator behind each; and the number of ellipses.
    _characters: int = 0
    _gaps: int = 1

    @property
    def left(self) -> int:
        """How many more characters there is room for; negative if there is too little room."""
        return self.room - self._length(self._gaps, self.places - 1 in self.shown)

    def left_with(self, place: int) -> int:
        """The room left for an item that is not shown yet."""
        return self._left_with(place) - len(self.separator)

    def show(self, place: int, text: str) -> None:
        """Show an item, or show it as something else than before."""
        if place in self.shown:
            self._characters += len(text) - len(self.shown[place])
        else:
            self._gaps = self._gaps_with(place)
            self._characters += len(text) + len(self.separator)
        self.shown[place] = text

    def show_if_it_fits(self, place: int, text: str) -> bool:
        """Show an item if there is room for it; whether it is shown, now or before."""
        if place not in self.shown and len(text) <= self.left_with(place):
            self.show(place, text)
        return place in self.shown

    def text(self) -> str:
        """The row as a text, with ellipses for the items left out."""
        said: list[str] = []
        before = -2 if self.is_cut else -1
        for place, text in sorted(self.shown.items()):
            said += [f"{LEFT_OUT} "] * (place > before + 1) + [text, self.separator]
            before = place
        return "".join(said[:-1] if before == self.places - 1 else [*said, LEFT_OUT])

    def _left_with(self, place: int) -> int:
        is_last = place == self.places - 1 or self.places - 1 in self.shown
        return self.room - self._length(self._gaps_with(place), is_last)

    def _length(self, gaps: int, ends_with_item: bool) -> int:
        """The length of the row as a text: no separator or blank stands behind its last part."""
        behind = len(self.separator) if ends_with_item else 1
        return self._characters + 2 * gaps - behind

    def _gaps_with(self, place: int) -> int:
        before = (place > 0 or self.is_cut) and place - 1 not in self.shown
        behind = place < self.places - 1 and place + 1 not in self.shown
        return self._gaps - 1 + before + behind
