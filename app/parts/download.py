"""Files for download, made at the press of a button and only for who may have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Offer:
    """One file that can be made: its words, its name, its kind, and how it is made."""

    key: str
    label: str
    file_name: str
    mime: str
    make: Callable[[], bytes]


def offer_download(offer: Offer) -> bool:
    """Draw a button that makes the file and then one that saves it; return whether it was made.

    The file is made while the page runs, after the page has checked who asks. A function given to
    `st.download_button` would run later and without that check.
    """
    if not st.button(f"Prepare {offer.label}", key=f"prepare-{offer.key}"):
        return False
    data = offer.make()
    st.download_button(
        f"Download {offer.label} ({len(data):,} bytes)",
        data=data,
        file_name=offer.file_name,
        mime=offer.mime,
        key=f"download-{offer.key}",
        on_click="ignore",
    )
    return True
