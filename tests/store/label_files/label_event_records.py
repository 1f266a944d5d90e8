"""Events as the label store gives them, for tests of files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from judgekit.store.label_store.records.events import LabelEvent

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def event(seq: int = 1, /, **changes: Any) -> LabelEvent:
    """Return one event: ana passes case-1, unless `changes` say otherwise."""
    label = changes.pop("label", "pass")
    values: dict[str, Any] = {
        "seq": seq,
        "op_id": f"op-{seq}",
        "project": "desk",
        "dataset": "desk",
        "item_id": "case-1",
        "item_hash": "sha256:00",
        "annotator": changes.get("actor", "ana"),
        "actor": "ana",
        "kind": "label",
        "value": {"label": label},
        "rev": 1,
        "schema_version": 1,
        "at": START + timedelta(seconds=seq),
    }
    return LabelEvent(**{**values, **changes})
