"""What can go wrong, as a tree. Each class carries the exit code of the command line.

    JudgekitError                  2   any fault that a user can mend
    ├── UsageError                 2   the command's options do not fit together
    ├── InputError                 2   a file or record cannot be used
    │   ├── RubricError            2   a rubric file says something impossible
    │   ├── ItemError              2   an item cannot be graded as it stands
    │   ├── LabelConflict          2   labels contradict each other
    │   ├── CriterionMismatch      2   labels and verdicts are about different criteria
    │   ├── NoRate                 2   labels were drawn so that no rate can be estimated
    │   └── NoVerdicts             2   a grader has not answered what is labelled
    ├── ProviderFailed             5   the outside failed: no usable reply
    │   └── BudgetExceeded         5   the budget does not allow the next call
    ├── StoreFailed                5   a file could not be written, or another process holds it
    │   └── NotMirrored            5   a label is saved in the database, its copy in a file is not
    ├── ApprovalError              4   no valid approval stands
    │   ├── NotApproved            4   missing, expired or revoked
    │   └── FingerprintChanged     4   what was approved is not what would run
    └── NotRun                     6   nothing was evaluated (no key)

A refusal by the gate or a rejected judge is a result, not an exception.
"""

from __future__ import annotations

from typing import ClassVar, Literal

FailureKind = Literal[
    "rate_limit",
    "server",
    "timeout",
    "refusal",
    "truncated",
    "connection",
    "budget",
    "request",
    "grader",
]


LONGEST_LINE = 1_000
"""Characters of one line of an error: a key or a name that it shows may be a megabyte."""


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_LINE:
        return text
    lines = text.split("\n")
    return "\n".join(
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}... ({len(line)} characters)"
        for line in lines
    )


class JudgekitError(Exception):
    """Carry one fault: what was found, where, what was expected and what mends it.

    Args:
        message: one sentence naming the thing at fault.
        where: file, line, key or item id.
        found: what was there.
        expected: what should have been there.
        mend: the command or edit that mends it.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = _bounded(message)
        self.where = None if where is None else _bounded(where)
        self.found = None if found is None else _bounded(found)
        self.expected = None if expected is None else _bounded(expected)
        self.mend = None if mend is None else _bounded(mend)

    def __str__(self) -> str:
        parts = [self.message]
        for name in ("where", "found", "expected", "mend"):
            value = getattr(self, name)
            if value:
                parts.append(f"  {name}: {value}")
        return "\n".join(parts)


class UsageError(JudgekitError):
    """The options of a command do not fit together."""


class InputError(JudgekitError):
    """A file or a record cannot be used."""


class RubricError(InputError):
    """A rubric file says something impossible; `where` is file:line and key."""


class ItemError(InputError):
    """An item cannot be graded as it stands."""


class LabelConflict(InputError):
    """Labels contradict each other where a single answer is required."""


class CriterionMismatch(InputError):
    """Labels and verdicts are about different criteria and no mapping joins them."""


class NoRate(InputError):
    """The labels were drawn so that no rate can be estimated from them."""


class NoVerdicts(InputError):
    """A grader has no verdict about what is labelled."""


class ProviderFailed(JudgekitError):
    """The provider gave no usable reply.

    Args:
        kind: one of the failure kinds of a verdict.
        retry_after_s: seconds the provider asked us to wait, or None.
        retryable: whether the same request may succeed later.
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        retry_after_s: float | None = None,
        retryable: bool = False,
        where: str | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(message, where=where, mend=mend)
        self.kind: FailureKind = kind
        self.retry_after_s = retry_after_s
        self.retryable = retryable


class BudgetExceeded(ProviderFailed):
    """The budget does not allow the next call."""

    def __init__(self, message: str, *, where: str | None = None, mend: str | None = None) -> None:
        super().__init__(message, kind="budget", where=where, mend=mend)


class StoreFailed(JudgekitError):
    """A file could not be written, or another process holds it."""

    exit_code = 5


class NotMirrored(StoreFailed):
    """What was saved in the label database could not be copied to the files of the log."""


class ApprovalError(JudgekitError):
    """No valid approval stands."""

    exit_code = 4


class NotApproved(ApprovalError):
    """The approval is missing, expired or revoked, or its policy changed."""


class FingerprintChanged(ApprovalError):
    """What was approved is not what would run; `components` names what differs."""

    def __init__(
        self, message: str, *, components: tuple[str, ...], mend: str | None = None
    ) -> None:
        super().__init__(message, found=", ".join(components) or None, mend=mend)
        self.components = components


class NotRun(JudgekitError):
    """Nothing was evaluated, for example because no key is set."""

    exit_code = 6
