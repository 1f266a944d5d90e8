"""What the theme in config.toml cannot say: visible focus, readable keys, less empty space."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ICON = Path(__file__).resolve().parents[1] / "static" / "icon.png"

_CSS = """
kbd { opacity: 1 !important; color: inherit !important; }
:focus-visible { outline: 3px solid currentColor !important; outline-offset: 2px !important; }
.stApp button[kind="primary"], .stApp button[kind="primary"] p,
.stApp button[kind="primaryFormSubmit"], .stApp button[kind="primaryFormSubmit"] p {
  color: light-dark(#FFFFFF, #12161C) !important;
}
.stMainBlockContainer { padding: 1.5rem 2rem 2rem 2rem; max-width: 1400px; }
.st-key-probe, .st-key-width, .st-key-reconnect {
  position: absolute; width: 0; height: 0; overflow: hidden;
}
/* What has nothing to see takes no gap of the column either. */
.stVerticalBlock > div:has(> .st-key-probe, > .st-key-width, > .st-key-reconnect) {
  position: absolute;
}
.stMainBlockContainer h1 { padding: 0 0 .5rem; }
.jk-legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 14px; }
.jk-legend kbd {
  font: inherit; font-weight: 600; padding: 0 5px;
  border: 1px solid currentColor; border-radius: 3px;
}
.jk-narrow { display: none; font-size: 14px; }
.jk-narrow summary { cursor: pointer; padding: 4px 0; margin-bottom: 6px; }
/* What folds opens at once: while it grew, it scrolled, and that closed a list opened in it. */
.stExpander details { height: auto !important; overflow: clip !important; }
.stCheckbox label:has(input:focus-visible) {
  outline: 3px solid currentColor; outline-offset: 2px;
}
.st-key-criteria .stButtonGroup {
  display: flex; align-items: center; justify-content: space-between; flex-wrap: wrap; width: 100%;
}
.st-key-criteria .stElementContainer { width: 100%; }
.st-key-recent button[kind="tertiary"], .st-key-projects button[kind="tertiary"] {
  min-height: 1.75rem; padding-block: 0; text-decoration: underline;
}
.st-key-guidelines { max-height: min(40rem, 100vh - 10rem); overflow-y: auto; flex-wrap: nowrap; }
.jk-id { font-size: 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.jk-question { font-size: 15px; max-width: 75ch; overflow-wrap: anywhere; }
.jk-question summary { cursor: pointer; }
.jk-guideline { overflow-wrap: anywhere; }
.jk-guideline :is(h3, h4, h5, h6) {
  font-size: 1rem; font-weight: 600; margin: 0; padding: .5rem 0 0;
}
.jk-guideline :is(p, ul, ol) { margin: 0 0 .5rem; }
.jk-guideline :is(ul, ol) { padding-left: 1.25rem; }
.jk-guideline pre { white-space: pre-wrap; }
.st-key-modes button[kind="tertiary"] { padding: .25rem .75rem; border: 1px solid transparent; }
.st-key-causes {
  display: grid !important; grid-template-columns: repeat(auto-fill, minmax(140px, 1fr));
}
.st-key-causes > * { width: 100% !important; }
.st-key-causes button { min-height: 2rem; padding: 0 .5rem; }
.st-key-causes button p { font-size: 14px; }
.st-key-question { min-height: 3.2em; }
.st-key-answers > *, .st-key-others > * { flex: 1 1 0 !important; min-width: 0; }
@media (min-width: 701px) {
  .st-key-modes .stHorizontalBlock { row-gap: 2px; }
  .st-key-modes button { min-height: 2rem; padding-block: 0 !important; }
  .st-key-save-state .jk-status { min-height: 3.2em; }
  .stElementContainer:has(.jk-narrow) { display: none; }
  .stColumn:has(.st-key-guidelines) { position: sticky; top: 1rem; align-self: flex-start; }
  .stColumn:has(.st-key-decisions), .stColumn:has(.st-key-walk) {
    position: sticky; top: 1rem; align-self: flex-start; max-height: calc(100vh - 2rem);
    overflow-y: auto; padding: 4px;
  }
}
@media (max-width: 700px) {
  .stMainBlockContainer { padding: 1rem; }
  .stMainBlockContainer h1 { margin-left: 3rem; }
  .stAppHeader { background: transparent; pointer-events: none; }
  .stAppHeader button { background: light-dark(#FFFFFF, #12161C) !important; pointer-events: auto; }
  .st-key-decisions .stButton kbd { display: none; }
  .jk-wide, .stElementContainer:has(.jk-wide) { display: none; }
  .jk-narrow { display: block; }
  .st-key-guidelines { max-height: calc(100vh - 14rem); scroll-margin-top: 3.5rem; }
  [data-testid="stBottomBlockContainer"] { padding: .5rem 1rem !important; }
}
/* A window enlarged to 200 %: the answers in one row, so that the item has room above them. */
@media (max-width: 700px) and (max-height: 500px) and (min-width: 480px) {
  .st-key-label-bar { flex-flow: row nowrap !important; gap: .5rem; }
  .st-key-asked { margin-bottom: -1rem; }
  .st-key-label-bar > div { flex: 2 1 0; width: auto; min-width: 0; }
  .st-key-label-bar > div:has(> .st-key-others) { flex-grow: 3; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; }
}
"""


def apply_theme(title: str) -> None:
    """Set the window's title and icon (a file: no request leaves the machine) and the styles."""
    st.set_page_config(
        page_title=title, page_icon=str(ICON), layout="wide", initial_sidebar_state=200
    )
    st.html(f"<style>{_CSS}</style>")
