"""Aliases: the names under which people appear in files, and the files named after them."""

from __future__ import annotations

import re
import unicodedata

from judgekit.errors import InputError

MAX_LENGTH = 64
MAX_FILE_NAME = 200
SUFFIX = ".jsonl"
_PLAIN = re.compile(r"[a-z0-9_.-]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


def check_alias(alias: str, *, where: str | None = None) -> str:
    """Return `alias`, or refuse it.

    Example:
        >>> check_alias("ana")
        'ana'

    Raises:
        InputError: it is empty or longer than 64 characters (less where its file's name would pass
            200 bytes), holds an `@` (so that no e-mail
            address gets into files under version control), a control or invisible character, or
            a space at an end, or is not in Unicode's composed form (NFC).
    """
    fault = _fault(alias)
    if fault is None:
        return alias
    raise InputError(
        f"{alias[:MAX_LENGTH]!r} cannot be an annotator's alias",
        where=where,
        found=fault,
        expected=f"a short name such as 'ana' or 'reviewer-2', at most {MAX_LENGTH} characters",
        mend="labels are kept under version control: use an alias, never an e-mail address",
    )


def alias_file_name(alias: str) -> str:
    """Return the name of the alias's event file: safe on every file system, one to one.

    Everything but `a-z`, `0-9`, `_`, `.` and `-` is written as `%` and two hexadecimal digits for
    each byte, capitals too, so that two aliases never share a file where names ignore case.

    Example:
        >>> alias_file_name("Ana B")
        '%41na%20%42.jsonl'
    """
    return safe_name(check_alias(alias)) + SUFFIX


def safe_name(text: str) -> str:
    """Return a text as a file name without suffix, as `alias_file_name` does.

    Example:
        >>> safe_name("../v1")
        '%2e.%2fv1'
    """
    name = _encoded_name(text)
    if name[:1] == "." or _RESERVED.match(name):  # hidden files; devices on Windows
        name = f"%{ord(name[0]):02x}{name[1:]}"
    return name


def _encoded_name(alias: str) -> str:
    return "".join(_encoded(char) for char in alias)


def _encoded(char: str) -> str:
    if _PLAIN.match(char):
        return char
    return "".join(f"%{byte:02x}" for byte in char.encode("utf-8"))


def _fault(alias: str) -> str | None:
    if not alias:
        return "an empty text"
    if len(alias) > MAX_LENGTH:
        return f"{len(alias)} characters"
    if "@" in alias:
        return "an '@', as in an e-mail address"
    if alias != alias.strip():
        return "a space at an end"
    strange = next((c for c in alias if unicodedata.category(c)[0] in "CZ" and c != " "), None)
    if strange is not None:
        return f"the character U+{ord(strange):04X}"
    if alias != unicodedata.normalize("NFC", alias):
        return "a character that is not composed (NFC)"
    if len(_encoded_name(alias)) > MAX_FILE_NAME:
        return f"a file name of more than {MAX_FILE_NAME} bytes"
    return None
