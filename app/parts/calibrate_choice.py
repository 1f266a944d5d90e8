"""The choices of the Calibrate page: each stands in the address, so a pasted one shows the same."""

from __future__ import annotations

import streamlit as st

from judgekit.cli.calibrate_inputs import Options
from parts.calibrate_load import Offer
from parts.settings import workspace

NONE = "not sliced"
NEWEST = "newest labels"


def choose(found: Offer) -> Options:
    """Draw the choices and return them as the options of one `judgekit calibrate`."""
    with st.container(key="filters"):
        first, second, third = st.columns([2, 1, 1])
        judges = first.multiselect(
            "Judges",
            found.judges,
            key="judges",
            bind="query-params",
            placeholder="All judges with verdicts",
        )
        split = second.selectbox(
            "Items",
            found.splits,
            index=found.splits.index(found.default_split),
            key="split",
            bind="query-params",
        )
        reference = third.selectbox(
            "Human answer", found.references, key="reference", bind="query-params"
        )
        criteria, slice_by, policy = _more(found)
        release = _release(found)
    return Options(
        judges=tuple(judges),
        dataset=found.dataset,
        workspace=workspace().root,
        split=split,
        reference=None if reference == "auto" else reference,
        criteria=criteria,
        slice_by=slice_by,
        policy=policy,
        release=release,
    )


def _release(found: Offer) -> str | None:
    """Draw the older releases, where there are any; None is the newest labels."""
    older = [release.version for release in found.releases[:-1]]
    if not older:
        return None
    chosen = st.selectbox("Release", (NEWEST, *older), key="release", bind="query-params")
    return None if chosen == NEWEST else chosen


def _more(found: Offer) -> tuple[tuple[str, ...], str | None, str | None]:
    """Draw the choices that not every dataset has."""
    columns = iter(st.columns([2, 1, 1] if found.criteria else [1, 1, 2]))
    criteria: list[str] = []
    if found.criteria:
        criteria = next(columns).multiselect(
            "Criteria, each on its own",
            found.criteria,
            key="criteria",
            bind="query-params",
            placeholder="The whole rubric",
        )
    slice_by = NONE
    if found.slices:
        slice_by = next(columns).selectbox(
            "Slice by", (NONE, *found.slices), key="slice", bind="query-params"
        )
    policy = found.default_policy
    if len(found.policies) > 1:
        names = found.policies
        policy = next(columns).selectbox(
            "Limits of policy",
            names,
            index=names.index(policy) if policy in names else 0,
            key="policy",
            bind="query-params",
        )
    return tuple(criteria), None if slice_by == NONE else slice_by, policy
