"""Who is known: people of judgekit.yaml and people kept in the store; roles add up."""

from __future__ import annotations

from judgekit.store.label_store import LabelStore
from parts.settings import label_settings


def known_aliases(store: LabelStore) -> frozenset[str]:
    """Return the aliases that may sign in."""
    kept = {person.alias for person in store.people() if person.active}
    return frozenset(kept | set(label_settings().people))


def roles_of(store: LabelStore, alias: str) -> frozenset[str]:
    """Return the roles of `alias` as they stand now."""
    declared = label_settings().people.get(alias)
    kept = (set(p.roles) for p in store.people() if p.alias == alias and p.active)
    return frozenset(declared.roles if declared else ()).union(*kept)
