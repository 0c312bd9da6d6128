"""The JSON Schema of `[tool.assay]`, for editors that complete and check `pyproject.toml`.

It is made from the settings themselves, and is kept in `integrations/schemastore` as SchemaStore
takes it.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from msgspec.structs import fields

from assay_engine.config.settings import BOUNDS, JudgeMode, Settings

ADDRESS = "https://json.schemastore.org/partial-assay.json"


def project_schema() -> dict[str, Any]:
    """The schema, in the draft that SchemaStore asks for.

    TOML tells 1 from 1.0, and a schema does not: where a whole number is wanted, 1.0 passes here.
    """
    settings = Settings()
    tables: dict[str, dict[str, Any]] = {}
    for name, (least, most) in BOUNDS.items():
        section, _, key = name.partition(".")
        values = getattr(settings, section)
        table = tables.setdefault(section, _table(cleandoc(type(values).__doc__ or "")))
        default = getattr(values, key)
        table["properties"][key] = {
            "type": "integer" if isinstance(default, int) else "number",
            "minimum": least,
            "maximum": most,
            "default": default,
        }
    own: dict[str, dict[str, Any]] = {
        "exclude": {
            "description": "Patterns, as in .gitignore, of files that are not to be checked.",
            "type": "array",
            "items": {"type": "string"},
            "default": [],
        },
        "judge": {
            "description": cleandoc(JudgeMode.__doc__ or ""),
            "enum": [str(mode) for mode in JudgeMode],
            "default": str(settings.judge),
        },
    }
    whole = _table("Settings of Assay. A project can only lower what a check costs and uses.")
    whole["properties"] = own | {
        each.name: tables[each.name] for each in fields(Settings) if each.name in tables
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#", "$id": ADDRESS, **whole}


def _table(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": {},
    }
