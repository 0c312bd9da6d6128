"""Who may do what in the back office."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Flag, auto


class Permission(Flag):
    """Single rights, combined with `|`."""

    NONE = 0
    VIEW = auto()
    EDIT = auto()
    REFUND = auto()
    DELETE = auto()


@dataclass(frozen=True)
class StaffMember:
    """Somebody with a back-office login."""

    user_id: str
    grants: Permission = Permission.NONE
    teams: frozenset[str] = frozenset()
    suspended: bool = False


@dataclass
class Resource:
    """Something in the back office that is protected."""

    owner_id: str
    team_grants: dict[str, Permission] = field(default_factory=dict)
    locked: Permission | None = None
