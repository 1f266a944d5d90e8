"""How an expected value is compared with what was found; each comparator is a closed record.

The records say what is declared and refuse what has no meaning. The comparing is done by the
scorers.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from judgekit.model.base import Record


class Exact(Record):
    """Equal values: 1 and 1.0 are equal; true and 1, "" and null, null and missing are not."""

    kind: Literal["exact"]


class NormalisedText(Record):
    """Text equal after NFKC and folding of white space; each `keep_` leaves a difference in."""

    kind: Literal["text"]
    keep_case: bool = False
    keep_punctuation: bool = True
    keep_accents: bool = True


class PersonName(Record):
    """Names: the order of the parts, hyphens and particles do not matter."""

    kind: Literal["name"]


class DateValue(Record):
    """Dates and times read by the declared formats (`%d.%m.%Y`); an ambiguous one is an error.

    `timezone` is the IANA zone of times that name none.
    """

    kind: Literal["date"]
    formats: tuple[str, ...] = Field(default=("%Y-%m-%d",), min_length=1)
    timezone: str | None = None

    @field_validator("formats")
    @classmethod
    def _directives(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        bad = next((text for text in value if "%" not in text), None)
        if bad is not None:
            raise ValueError(f"a date format such as %Y-%m-%d, not {bad!r}")
        return value


class NumberValue(Record):
    """Numbers and money: equal within `absolute` or within `relative` (a share of the expected).

    `unit` must match where it is given (`EUR`, `kg`, `%`). `decimal_comma` reads 37,85 as 37.85.
    """

    kind: Literal["number"]
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=0.0, ge=0, le=1)
    unit: str | None = Field(default=None, min_length=1)
    decimal_comma: bool = False


class ListValue(Record):
    """Lists: the same members, in order or not; `partial` gives credit for a part of them."""

    kind: Literal["list"]
    ordered: bool = False
    partial: bool = False


class SchemaValue(Record):
    """The found value fits a JSON Schema; the expected value is only an example."""

    kind: Literal["schema"]
    json_schema: dict[str, Any] = Field(alias="schema", min_length=1)


class PatternValue(Record):
    """The found text matches a regular expression as a whole; the expected one is an example."""

    kind: Literal["pattern"]
    pattern: str = Field(min_length=1)

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"a regular expression ({error})") from error
        return value


class SimilarText(Record):
    """Text at least as similar as `threshold` (token set ratio in 0..1)."""

    kind: Literal["similar"]
    threshold: float = Field(gt=0.5, le=1)


class CustomValue(Record):
    """A function of the workspace, `module:function`, that takes expected and found."""

    kind: Literal["custom"]
    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


Comparator = Annotated[
    Exact
    | NormalisedText
    | PersonName
    | DateValue
    | NumberValue
    | ListValue
    | SchemaValue
    | PatternValue
    | SimilarText
    | CustomValue,
    Field(discriminator="kind"),
]

_FITS: dict[str, tuple[type[object], ...]] = {
    "text": (str,),
    "name": (str,),
    "date": (str,),
    "number": (float, int, str),
    "list": (list,),
    "pattern": (str,),
    "similar": (str,),
}
_WORDS = {str: "text", int: "whole number", float: "number", list: "list"}


class Expected(Record):
    """What is expected of one field, argument or column.

    `expect` keeps apart what a form would blur: `value` (any JSON value but null; "" and [] are
    values, and empty ones), `null` (the key is there and holds null), `missing` (the key is not
    there). `compare` says how a value is compared. `critical` fails the case on its own; `weight`
    is its share in weighted accuracy.
    """

    expect: Literal["value", "null", "missing"] = "value"
    value: Any = None
    compare: Comparator = Exact(kind="exact")
    critical: bool = False
    weight: float = Field(default=1.0, gt=0, le=1000)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.expect == "value" and self.value is None:
            raise ValueError('a value; write "expect": "null" or "expect": "missing" for none')
        if self.expect != "value" and (self.value is not None or self.compare.kind != "exact"):
            raise ValueError(f'no value and no comparator beside "expect": "{self.expect}"')
        self._refuse_misfit()
        return self

    def _refuse_misfit(self) -> None:
        kinds = _FITS.get(self.compare.kind)
        if kinds is None or self.expect != "value":
            return
        if isinstance(self.value, bool) or not isinstance(self.value, kinds):
            names = " or ".join(_WORDS[kind] for kind in kinds)
            raise ValueError(f"a {names} for the comparator {self.compare.kind!r}")
