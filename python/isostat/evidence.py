"""The record of what ran."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

__all__ = ["Evidence"]


@dataclass(frozen=True)
class Evidence:
    """What ran: engine, device, dtype, passes, conversions, fallbacks, the certificate, and how it ended.

    Every field of the record is an attribute; :meth:`to_json` gives all of them.
    """

    record: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        """Look a field up in the record."""
        record = object.__getattribute__(self, "record")
        if name in record:
            return record[name]
        raise AttributeError(f"evidence has no field {name!r}; it has {', '.join(record)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a plain dict."""
        return dict(self.record)

    def to_json(self) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.record, indent=2)

    def to_html(self) -> str:
        """Return the record as an HTML page."""
        rows = "\n".join(
            f"<tr><th>{escape(key)}</th><td><pre>{escape(text)}</pre></td></tr>"
            for key, text in (
                (key, json.dumps(value, indent=1, ensure_ascii=False)) for key, value in self.record.items()
            )
        )
        return (
            "<!doctype html><html><head><meta charset='utf-8'><title>isostat evidence</title>"
            "<style>body{font-family:sans-serif}th{text-align:left;vertical-align:top;padding-right:1em}"
            f"pre{{margin:0}}</style></head><body><h1>Evidence</h1><table>{rows}</table></body></html>"
        )

    def __repr__(self) -> str:
        shown = {k: v for k, v in self.record.items() if v not in ("", [], {}, None)}
        return "Evidence\n" + "\n".join(f"  {key}: {value}" for key, value in shown.items())
