"""Stock reservations and room bookings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum


class InsufficientStock(Exception):
    pass


class BookingConflict(Exception):
    pass


class BookingStatus(Enum):
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"


@dataclass
class StockItem:
    sku: str
    on_hand: int
    reserved: int = 0

    @property
    def available(self) -> int:
        return self.on_hand - self.reserved


@dataclass
class Booking:
    room: str
    start: datetime
    end: datetime
    guest: str
    status: BookingStatus = BookingStatus.CONFIRMED


class Inventory:
    def __init__(self, items: Iterable[StockItem] = ()) -> None:
        self._items = {item.sku: item for item in items}

    def __getitem__(self, sku: str) -> StockItem:
        return self._items[sku]

    def reserve(self, lines: Iterable[tuple[str, int]]) -> int:
        """Reserve stock for an order, either completely or not at all.

        A SKU may occur on more than one line. Units count as available when
        they are on hand and not reserved yet, and an order can never reserve
        more units of a SKU than are available.

        Args:
            lines: Pairs of SKU and quantity.

        Returns:
            The number of units reserved over all lines.

        Raises:
            ValueError: If a quantity is less than 1.
            KeyError: If a SKU is unknown.
            InsufficientStock: If there are not enough available units of some
                SKU for the order.

        Whenever an exception is raised, no reservation has been changed.

        >>> stock = Inventory([StockItem("cup", 5), StockItem("pot", 1)])
        >>> stock.reserve([("cup", 3), ("pot", 1)])
        4
        >>> stock["cup"].available
        2
        """
        lines = list(lines)
        for sku, quantity in lines:
            if quantity < 1:
                raise ValueError(f"quantity for {sku!r} must be at least 1")
            item = self._items[sku]
            if item.available < quantity:
                raise InsufficientStock(sku)
        for sku, quantity in lines:
            self._items[sku].reserved += quantity
        return sum(quantity for _, quantity in lines)

    def release(self, sku: str, quantity: int | None = None) -> int:
        """Give reserved units of one SKU back to the available stock.

        Args:
            sku: The SKU whose reservation is reduced.
            quantity: How many units to release, from 0 up to the number
                reserved. Without it every reserved unit is released.

        Returns:
            The number of units released.

        Raises:
            KeyError: If the SKU is unknown.
            ValueError: If the quantity is negative or more than is reserved;
                the reservation is then left as it was.
        """
        item = self._items[sku]
        if quantity is None:
            quantity = item.reserved
        if not 0 <= quantity <= item.reserved:
            raise ValueError(f"cannot release {quantity} of {item.reserved} units")
        item.reserved -= quantity
        return quantity

    def low_stock(self, threshold: int) -> list[str]:
        """List the SKUs of which fewer than ``threshold`` units are in stock.

        The SKUs are returned in alphabetical order, in a new list.

        >>> Inventory([StockItem("pot", 1), StockItem("cup", 9)]).low_stock(5)
        ['pot']
        """
        return sorted(
            item.sku for item in self._items.values() if item.on_hand < threshold
        )


class BookingCalendar:
    def __init__(self) -> None:
        self._bookings: list[Booking] = []

    def cancel(self, booking: Booking) -> None:
        booking.status = BookingStatus.CANCELLED

    def _confirmed(self, room: str, start: datetime, end: datetime) -> list[Booking]:
        return [
            booking
            for booking in self._bookings
            if booking.room == room
            and booking.status is BookingStatus.CONFIRMED
            and booking.start < end
            and booking.end > start
        ]

    def book(self, room: str, start: datetime, end: datetime, *, guest: str) -> Booking:
        """Book a room from ``start`` up to, but not including, ``end``.

        A booking may begin at the very moment at which another one ends.
        Cancelled bookings do not stand in the way of new ones, and neither do
        bookings of other rooms.

        :param room: name of the room
        :param start: first moment of the booking
        :param end: moment at which the room is free again
        :param guest: whom the booking is for
        :returns: the new, confirmed booking
        :raises ValueError: if ``end`` is not later than ``start``
        :raises BookingConflict: if the room has a confirmed booking that
            overlaps with the wanted time; nothing is booked in that case
        """
        if end <= start:
            raise ValueError("a booking must end after it starts")
        clashes = self._confirmed(room, start, end)
        if clashes:
            raise BookingConflict(f"{room} is taken by {clashes[0].guest}")
        booking = Booking(room, start, end, guest)
        self._bookings.append(booking)
        return booking

    def free_slots(
        self,
        room: str,
        start: datetime,
        end: datetime,
        *,
        minimum: timedelta = timedelta(0),
    ) -> list[tuple[datetime, datetime]]:
        """Find the times at which a room is free between two moments.

        :param room: name of the room
        :param start: beginning of the period to look at
        :param end: end of the period to look at
        :param minimum: slots shorter than this are left out; must not be
            negative
        :returns: pairs of begin and end, in chronological order, none of them
            empty and all of them within the period. Only confirmed bookings
            occupy the room. The list is empty if ``end`` is not later than
            ``start``.
        """
        slots = []
        cursor = start
        booked = self._confirmed(room, start, end)
        for booking in sorted(booked, key=lambda booking: booking.start):
            gap = booking.start - cursor
            if gap > timedelta(0) and gap >= minimum:
                slots.append((cursor, booking.start))
            cursor = max(cursor, booking.end)
        if end - cursor > minimum:
            slots.append((cursor, end))
        return slots
