"""Who is known: people of judgekit.yaml and people kept in the store; roles add up."""

from __future__ import annotations

from judgekit.store.label_store import LabelStore
from parts.settings import label_settings


def known_aliases(store: LabelStore) -> frozenset[str]:
    """Return the aliases that may sign in: nobody whom a lead has put away."""
    kept = store.people.list(active=False)
    away = {person.alias for person in kept if not person.active}
    here = {person.alias for person in kept if person.active}
    return frozenset((here | set(label_settings().people)) - away)


def roles_of(store: LabelStore, alias: str) -> frozenset[str]:
    """Return the roles of `alias` as they stand now."""
    declared = label_settings().people.get(alias)
    kept = store.people.get(alias)
    if kept is not None and not kept.active:
        return frozenset()
    return frozenset((*(declared.roles if declared else ()), *(kept.roles if kept else ())))


def has_lead(store: LabelStore) -> bool:
    """Return whether somebody is a lead, by judgekit.yaml or in the store."""
    return any("lead" in roles_of(store, alias) for alias in known_aliases(store))
