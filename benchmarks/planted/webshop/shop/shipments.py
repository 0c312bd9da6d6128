"""Shipments and the states they pass through."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ShipmentState(Enum):
    """Where a shipment stands."""

    PENDING = "pending"
    PACKED = "packed"
    IN_TRANSIT = "in_transit"
    ON_HOLD = "on_hold"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing can happen to the shipment any more."""
        return self in (ShipmentState.DELIVERED, ShipmentState.CANCELLED)


class ShipmentEvent(Enum):
    """What can happen to a shipment."""

    PACK = "pack"
    DISPATCH = "dispatch"
    DELIVER = "deliver"
    CANCEL = "cancel"
    HOLD = "hold"
    RESUME = "resume"


# HOLD and RESUME depend on the history of a shipment and have no row here.
TRANSITIONS: dict[tuple[ShipmentState, ShipmentEvent], ShipmentState] = {
    (ShipmentState.PENDING, ShipmentEvent.PACK): ShipmentState.PACKED,
    (ShipmentState.PACKED, ShipmentEvent.DISPATCH): ShipmentState.IN_TRANSIT,
    (ShipmentState.IN_TRANSIT, ShipmentEvent.DELIVER): ShipmentState.DELIVERED,
    (ShipmentState.PENDING, ShipmentEvent.CANCEL): ShipmentState.CANCELLED,
    (ShipmentState.PACKED, ShipmentEvent.CANCEL): ShipmentState.CANCELLED,
    (ShipmentState.ON_HOLD, ShipmentEvent.CANCEL): ShipmentState.CANCELLED,
}


@dataclass
class Shipment:
    """A parcel on its way; `held_from` is set only while it is on hold."""

    tracking_id: str
    state: ShipmentState = ShipmentState.PENDING
    held_from: ShipmentState | None = None
