"""The objects of a SARIF 2.1.0 log that Assay writes, by their names in the standard.

Properties without a value are left out of the log. Sections (§) are those of
https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec import Struct, field

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class Level(StrEnum):
    NONE = "none"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class _Object(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One of the standard's objects."""


class Message(_Object, frozen=True):
    text: str


class ArtifactLocation(_Object, frozen=True):
    """`uri` is relative to the base that `uri_base_id` names, and absolute without one."""

    uri: str
    uri_base_id: str | None = None


class Region(_Object, frozen=True):
    """§3.30: lines and columns count from 1; the end column is not included."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


class PhysicalLocation(_Object, frozen=True):
    artifact_location: ArtifactLocation
    region: Region


class LogicalLocation(_Object, frozen=True):
    fully_qualified_name: str
    kind: str


class Location(_Object, frozen=True):
    physical_location: PhysicalLocation
    logical_locations: tuple[LogicalLocation, ...] = ()
    message: Message | None = None


class ArtifactContent(_Object, frozen=True):
    text: str


class ArtifactReplacement(_Object, frozen=True):
    """§3.57: the inserted content takes the place of the deleted region, which may be empty."""

    deleted_region: Region
    inserted_content: ArtifactContent


class ArtifactChange(_Object, frozen=True):
    artifact_location: ArtifactLocation
    replacements: tuple[ArtifactReplacement, ...]


class Fix(_Object, frozen=True):
    description: Message
    artifact_changes: tuple[ArtifactChange, ...]


class Result(_Object, frozen=True):
    rule_id: str
    rule_index: int
    level: Level
    message: Message
    locations: tuple[Location, ...]
    partial_fingerprints: Mapping[str, str]
    related_locations: tuple[Location, ...] = ()
    fixes: tuple[Fix, ...] = ()


class RuleReference(_Object, frozen=True):
    id: str
    index: int


class Notification(_Object, frozen=True):
    level: Level
    message: Message
    locations: tuple[Location, ...] = ()
    associated_rule: RuleReference | None = None


class Invocation(_Object, frozen=True):
    execution_successful: bool
    exit_code: int
    tool_execution_notifications: tuple[Notification, ...] = ()


class Configuration(_Object, frozen=True):
    level: Level


class ReportingDescriptor(_Object, frozen=True):
    id: str
    short_description: Message
    full_description: Message
    default_configuration: Configuration
    help: Message


class ToolComponent(_Object, frozen=True):
    name: str
    version: str
    rules: tuple[ReportingDescriptor, ...]


class Tool(_Object, frozen=True):
    driver: ToolComponent


class Base(_Object, frozen=True):
    description: Message


class Run(_Object, frozen=True):
    tool: Tool
    column_kind: str
    original_uri_base_ids: Mapping[str, Base]
    invocations: tuple[Invocation, ...]
    results: tuple[Result, ...]


class Log(_Object, frozen=True):
    schema: str = field(name="$schema")
    version: str
    runs: tuple[Run, ...]


def to_text(log: Log) -> str:
    """The log as JSON, in ASCII, so that no encoding of a redirected output changes it."""
    return json.dumps(msgspec.to_builtins(log), indent=2)


def plain(text: str) -> Message:
    """A message that says the text as it is. Braces are doubled, so that they are no placeholders
    (§3.11.5), and brackets are escaped, so that they are no link (§3.11.6)."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return Message(doubled.replace("](", "\\]("))
