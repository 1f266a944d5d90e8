"""The Label page as a person uses it: read the item, press a key, see the next one."""

from __future__ import annotations

from browser_driver import Visitor

READ_MS = 300
"""Longer than the dwell guard (250 ms): nobody decides faster."""


def open_label(visitor: Visitor, user: str) -> dict[str, str]:
    """Open Label as `user` and return the probe once an item is shown."""
    visitor.open(f"/label?user={user}")
    visitor.wait_probe(page="label", user=user, item_not="")
    return visitor.probe()


def read_item(visitor: Visitor) -> None:
    """Wait until the item has been on the page as long as the dwell guard asks."""
    visitor.wait_for(
        "ms => window.__shown !== null && performance.now() - window.__shown > ms",
        READ_MS,
        "the item to have been shown long enough",
    )


def decide(visitor: Visitor, *keys: str) -> dict[str, str]:
    """Read the item, press the keys, and return the probe of the next item."""
    before = visitor.probe()["presentation"]
    read_item(visitor)
    for key in keys:
        visitor.page.keyboard.press(key)
        if key is not keys[-1]:
            visitor.idle()
    return visitor.wait_probe(presentation_not=before)


def timed_decision(visitor: Visitor, key: str) -> float:
    """Read the item, press one key, and return the ms until the next item was painted."""
    visitor.idle()
    read_item(visitor)
    return visitor.time_to_change(lambda: visitor.page.keyboard.press(key), "presentation")


def go_to(visitor: Visitor, item: str) -> None:
    """Jump to one item by the box "Go to item"."""
    box = visitor.page.get_by_label("Go to item").first
    box.fill(item)
    box.press("Enter")
    visitor.wait_probe(page="label", item=item)
    box.evaluate("box => box.blur()")
    visitor.wait_for(
        "() => [...document.querySelectorAll('.st-key-jump input')].every(e => e.value === '')",
        None,
        "the box to be empty again",
    )
    visitor.idle()


def write_note(visitor: Visitor, text: str) -> None:
    """Type into the note by keyboard, wait until it is kept, and return to the item."""
    visitor.press("m")
    visitor.type(text)
    visitor.expect_text("draft kept", ".st-key-save-state")
    visitor.press("Escape")


def mark_words(visitor: Visitor, words: int) -> None:
    """Mark the first words of the answer by keyboard."""
    visitor.press("e")
    visitor.press(*["Shift+ArrowRight"] * (words - 1))
    visitor.press("Enter")


EVERYWHERE = """const inside = root => [...root.querySelectorAll('*')].flatMap(
  e => [e, ...(e.shadowRoot ? inside(e.shadowRoot) : [])]);"""
NOTE_IS = f"""text => {{ {EVERYWHERE}
  return inside(document).some(e => e.tagName === 'TEXTAREA' && e.value === text); }}"""
MARKED = f"""words => {{ {EVERYWHERE}
  return inside(document).some(e => e.tagName === 'MARK' && e.textContent.includes(words)); }}"""
SELECT = f"""([within, words]) => {{ {EVERYWHERE}
  for (const element of inside(document)) for (const node of element.childNodes) {{
    if (node.nodeType !== Node.TEXT_NODE || !node.data.includes(within)) continue;
    const start = node.data.indexOf(words), range = document.createRange();
    range.setStart(node, start); range.setEnd(node, start + words.length);
    const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range);
    element.dispatchEvent(new MouseEvent('mouseup', {{bubbles: true, composed: true}}));
    return true;
  }}
  throw new Error('no such text'); }}"""
