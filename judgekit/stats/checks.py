"""What the arguments of a statistic must be, from their annotations and their names."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Literal, get_args, get_origin

Check = Callable[[str, Any], None]
MOST = 1e12
"""Larger counts are refused: beyond this, quantiles hang and floats lose single items."""
MOST_DRAWS = 10_000_000

LEVELS = {"tail": 0.5, "known_tail": 0.5, "alpha": 1.0, "power": 1.0}
_OPEN = frozenset({"assurance", "false_alarm", "limit"})
_SHARES = frozenset({"rho", "expected_rate", "epsilon", "q", "run_to_run"})
_POSITIVE = frozenset({"share", "draws", "replicates", "horizon", "threshold", "k"})
_POSITIVE |= {"max_iterations", "length"}
_SIGNED = frozenset({"low", "high", "reject_low", "reject_high", "start", "values"})
_SIGNED |= {"margin", "human", "judge", "judge_on_labelled", "judge_on_unlabelled", "verdicts"}
_SIGNED |= {"cost", "lam", "in_control", "out_of_control", "gains", "value"}
_STEPS = frozenset({"draws", "replicates", "horizon", "max_iterations"})
_ANY_LIMIT = frozenset({("ceiling_outcome", "limit"), ("floor_outcome", "limit")})
"""Their limit may be one of kappa, so that it is any number."""
_VERDICTS = frozenset({
    ("verbosity_logit", "judge"), ("verbosity_logit", "human"), ("anytime_path", "errors"),
    ("bernoulli_cusum", "errors"),
})  # fmt: skip
_NAN_IS_MISSING = frozenset({"cost", "correct"})
_PARTS = (
    ("baseline_x", "baseline_n"), ("window_x", "window_n"), ("judge_passes", "n_judged"),
    ("judge_passes", "n_unlabelled"), ("judge_passes", "judged"), ("successes", "trials"),
    ("errors", "sizes"), ("labelled", "sizes"), ("x", "n"), ("other_successes", "other_trials"),
    ("live_successes", "live_trials"), ("replayed_successes", "replayed_trials"),
)  # fmt: skip
_ALIKE = (
    ("spreads", "sizes"), ("labelled", "new"), ("cost", "correct"), ("judge", "human"),
    ("judge", "length"), ("baseline", "now"), ("human", "judge_on_labelled"),
    ("judge", "groups"), ("only_first", "sizes"), ("only_second", "sizes"),
    ("credits", "groups"), ("numerators", "denominators"), ("other_successes", "trials"),
    ("other_trials", "trials"), ("replayed_trials", "live_trials"),
)  # fmt: skip
_SIDES: Mapping[tuple[str, str], tuple[str | int, ...]] = {
    ("cluster_bootstrap", "tables"): ("G", "K", "K"),
    ("jackknife_kappa", "tables"): ("G", "K", "K"),
    ("kappa_interval", "tables"): ("G", "K", "K"),
    ("kappa_quantiles", "counts"): ("K", "K"),
    ("grouped_ppi_pass_rate", "tables"): ("G", 2, 2),
    ("grouped_rogan_gladen", "tables"): ("G", 2, 2),
    ("mantel_haenszel", "strata"): ("S", 2, 2),
    ("paired_kappa_change", "joint"): ("K", "K", "K"),
    ("bootstrap_raters", "counts"): ("N", "K"),
    ("fleiss_kappa", "counts"): ("N", "K"),
    ("gwet_ac", "counts"): ("N", "K"),
    ("krippendorff_alpha", "counts"): ("N", "K"),
}


def guard(name: str, function: Callable[..., Any], *, levels: bool) -> Callable[..., None]:
    """Return what refuses the arguments that `function` cannot take: a call with the same
    arguments that does nothing or raises ValueError naming what, what was expected and found.

    Levels come first, then every argument by itself, then lengths and parts together. Arguments
    that are missing or too many are left to the call itself. `levels` False leaves `tail` alone.

    Example:
        >>> def spread(tail: float, draws: int = 100) -> None: ...
        >>> guard("spread", spread, levels=True)(0.7)
        Traceback (most recent call last):
        ValueError: tail must lie between 0 and 1/2, got 0.7
    """
    wanted = list(signature(function).parameters.values())
    names = [parameter.name for parameter in wanted]
    first = [n for n in names if n in LEVELS and levels]
    rest = [(p.name, check) for p in wanted if (check := _check_of(name, p, function, levels))]
    parts = [pair for pair in _PARTS if set(pair) <= set(names) and levels]
    alike = [pair for pair in _ALIKE if set(pair) <= set(names)]

    def checked(*args: Any, **options: Any) -> None:
        given = {**dict(zip(names, args, strict=False)), **options}
        for key in first:
            if _is_number(given.get(key)):
                _level(key, given[key])
        for x, n in parts:
            _part_of_number(x, n, given)
        for key, check in rest:
            if key in given:
                check(key, given[key])
        for few, many in alike:
            _same_length(few, many, given)
        for x, n in parts:
            _part_of_each(x, n, given)
        if {"ratings", "labels"} <= set(given):
            _among(given["ratings"], given["labels"])

    return checked


def _check_of(
    name: str, parameter: Parameter, function: Callable[..., Any], levels: bool
) -> Check | None:
    key, annotation = parameter.name, str(parameter.annotation)
    optional = annotation.endswith("| None")
    annotation = annotation.removesuffix("| None").strip()
    check = _plain_check(name, key, annotation, levels) or _named_check(annotation, function)
    if check is None or not optional:
        return check
    known: Check = check
    return lambda key, found: None if found is None else known(key, found)


def _plain_check(name: str, key: str, annotation: str, levels: bool) -> Check | None:
    whole = "int" in annotation and "float" not in annotation
    if annotation in ("int", "float"):
        if levels and key in LEVELS:
            return _level
        if (name, key) in _ANY_LIMIT:
            return _finite
        return partial(_number, whole=whole, ranged=levels)
    if (name, key) in _VERDICTS:
        return _verdicts
    if annotation in ("Floats", "ArrayLike", "Any") or (name, key) in _SIDES:
        sides = _SIDES.get((name, key), ("n",))
        return partial(_array, sides=sides, real=annotation == "Floats")
    if annotation == "PValues" or annotation.startswith(("Sequence[int", "Sequence[float")):
        holes = "None" in annotation or annotation == "PValues"
        return partial(_array, sides=("n",), whole=whole, holes=holes)
    if annotation in ("Sequence[bool]", "Sequence[Sequence[float | None]]"):
        return partial(_rows, deep=annotation.count("Sequence") - 1)
    if annotation.startswith("Sequence["):
        return partial(_rows, deep=annotation.count("Sequence") - 1, numbers=False)
    if annotation.startswith("Iterable["):
        return _iterable
    return {"np.random.Generator": _generator, "Prior": _prior}.get(annotation)


def _named_check(annotation: str, function: Callable[..., Any]) -> Check | None:
    """Return the check of a name from the function's module: words to choose from, or a record."""
    scope = vars(sys.modules[function.__module__])
    found: Any = scope.get(annotation.split(".")[0])
    for part in annotation.split(".")[1:]:
        found = getattr(found, part, None)
    if get_origin(found) is Literal:
        return partial(_choice, words=get_args(found))
    return partial(_instance, kind=found) if isinstance(found, type | UnionType) else None


def _refuse(key: str, expected: str, found: Any) -> ValueError:
    shown = repr(found)
    return ValueError(f"{key} must {expected}, got {shown[:80]}{'...' if len(shown) > 80 else ''}")


def _is_number(found: Any) -> bool:
    from numbers import Real

    return type(found) in (int, float) or isinstance(found, Real)


def _level(key: str, found: Any) -> None:
    top = LEVELS[key]
    if not _is_number(found) or not 0 < found < top:
        raise ValueError(
            f"{key} must lie between 0 and {'1/2' if top == 0.5 else '1'}, got {found!r}"
        )


def _number(key: str, found: Any, *, whole: bool, ranged: bool) -> None:
    expected = _range_of(key) if ranged else None
    what = "be a whole number" if whole else "be a finite number"
    fits = _is_number(found) and (not ranged or _is_finite(found))
    if fits and not (whole and found % 1 != 0) and (expected is None or expected[0](found)):
        return _check_size(key, found, whole=whole)
    if expected is not None:
        what = expected[1] if expected[1].startswith("lie") else f"{what} and {expected[1]}"
    raise _refuse(key, what, found)


def _check_size(key: str, found: Any, *, whole: bool) -> None:
    steps = key in _STEPS
    if (steps or key == "seed") and isinstance(found, float | bool):
        raise _refuse(key, "be a whole number of type int", found)
    if whole and key != "seed" and found > (MOST_DRAWS if steps else MOST):
        raise _refuse(key, f"be at most {MOST_DRAWS if steps else MOST:.0e}", found)


def _finite(key: str, found: Any) -> None:
    if not _is_finite(found):
        raise _refuse(key, "be a finite number", found)


def _range_of(key: str) -> tuple[Callable[[Any], Any], str] | None:
    if key in _OPEN:
        return lambda x: (x > 0) & (x < 1), "lie between 0 and 1"
    if key in _SHARES:
        return lambda x: (x >= 0) & (x <= 1), "lie in [0, 1]"
    if key == "group_size":
        return lambda x: x >= 1, "be at least 1"
    if key in _POSITIVE:
        return lambda x: x > 0, "be above 0"
    return None if key in _SIGNED else (lambda x: x >= 0, "not be negative")


def _array(
    key: str,
    found: Any,
    *,
    sides: tuple[str | int, ...],
    whole: bool = False,
    holes: bool = False,
    real: bool = False,
) -> None:
    import numpy as np

    shape = f"have the shape ({', '.join(map(str, sides))}{',' if len(sides) == 1 else ''})"
    numbers = _numbers(key, found, shape, holes=holes)
    empty = numbers.shape == (0,) and sides[0] != "K" and not real
    if not empty and not _fits(numbers.shape, sides):
        raise _refuse(key, shape, found)
    if real and not hasattr(found, "shape"):
        raise _refuse(key, f"be a numpy array and {shape}", found)
    if not np.isfinite(numbers).all():
        raise _refuse(key, "hold finite numbers", found)
    if whole and (numbers % 1).any():
        raise _refuse(key, "hold whole numbers", found)
    expected = _range_of(key)
    if expected is not None and not expected[0](numbers).all():
        raise _refuse(key, expected[1], found)
    if (whole or expected is not None) and numbers.size and abs(numbers).max() > MOST:
        raise _refuse(key, f"hold numbers up to {MOST:.0e}", found)


def _numbers(key: str, found: Any, shape: str, *, holes: bool) -> Any:
    """Return the array that a sequence of numbers holds; `shape` is what is said to be wanted."""
    import numpy as np

    if isinstance(found, str) or not hasattr(found, "__len__"):
        raise _refuse(key, shape, found)
    try:
        numbers = np.asarray(_known(key, found) if holes else found)
        return numbers if numbers.dtype.kind in "biuf" else numbers.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise _refuse(key, f"hold numbers and {shape}", found) from None


def _known(key: str, found: Any) -> list[Any]:
    """Return the cells that are not missing."""
    spared = key in _NAN_IS_MISSING
    return [x for x in found if x is not None and not (spared and x != x)]


def _verdicts(key: str, found: Any) -> None:
    import numpy as np

    try:
        numbers = np.asarray(found, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise _refuse(key, "be a sequence of 0 and 1", found) from None
    if numbers.ndim != 1 or not ((numbers == 0) | (numbers == 1)).all():
        raise _refuse(key, "be a sequence of 0 and 1", found)


def _fits(shape: tuple[int, ...], sides: tuple[str | int, ...]) -> bool:
    if len(shape) != len(sides):
        return False
    square = {n for n, side in zip(shape, sides, strict=True) if side == "K"}
    fixed = all(n == side for n, side in zip(shape, sides, strict=True) if isinstance(side, int))
    return fixed and len(square) <= 1


def _rows(key: str, found: Any, *, deep: int, numbers: bool = True) -> None:
    """Check a sequence (of sequences, `deep` 1) of numbers, or of anything that can be hashed."""
    what = "be a sequence" + " of sequences" * deep
    if isinstance(found, str) or not hasattr(found, "__len__"):
        raise _refuse(key, what, found)
    if deep:
        for row in found:
            _rows(key, row, deep=0, numbers=numbers)
        return
    for cell in found:
        if numbers and cell is not None and not (_is_bool(cell) or _is_finite(cell)):
            raise _refuse(key, "hold finite numbers", found)
        if isinstance(cell, float) and math.isnan(cell):
            raise _refuse(key, "hold no NaN (None is a missing label)", found)
        if not numbers and cell.__hash__ is None:
            raise _refuse(key, "hold labels such as words or numbers", found)


def _is_bool(cell: Any) -> bool:
    return isinstance(cell, bool) or type(cell).__name__ in ("bool", "bool_")


def _is_finite(cell: Any) -> bool:
    return _is_number(cell) and abs(cell) <= sys.float_info.max


def _choice(key: str, found: Any, *, words: Sequence[str]) -> None:
    if not isinstance(found, str) or found not in words:
        raise _refuse(key, f"be one of {', '.join(words)}", found)


def _instance(key: str, found: Any, *, kind: type | UnionType) -> None:
    if not isinstance(found, kind):
        names = [one.__name__ for one in get_args(kind) or (kind,)]
        raise _refuse(key, f"be {' or '.join(names)}", found)


def _generator(key: str, found: Any) -> None:
    if not hasattr(found, "multinomial"):
        raise _refuse(key, "be a numpy random Generator", found)


def _iterable(key: str, found: Any) -> None:
    if isinstance(found, str) or not hasattr(found, "__iter__"):
        raise _refuse(key, "be a sequence", found)


def _prior(key: str, found: Any) -> None:
    fine = isinstance(found, tuple | list) and len(found) == 2
    if not fine or not all(_is_finite(x) and x > 0 for x in found):
        raise _refuse(key, "be two numbers above 0", found)


def _same_length(few: str, many: str, given: Mapping[str, Any]) -> None:
    one, other = given.get(few), given.get(many)
    if one is not None and other is not None and len(one) != len(other):
        raise ValueError(
            f"{few} and {many} must have the same length, got {len(one)} and {len(other)}"
        )


def _part_of_number(x: str, n: str, given: Mapping[str, Any]) -> None:
    some: Any = given.get(x)
    most: Any = given.get(n)
    if not (_is_number(some) and _is_number(most)):
        return
    if not 0 <= some <= most or some % 1 or most % 1:
        raise ValueError(
            f"{x} and {n} must be whole numbers with 0 <= {x} <= {n}, got {some} and {most}"
        )


def _part_of_each(x: str, n: str, given: Mapping[str, Any]) -> None:
    some, most = given.get(x), given.get(n)
    if some is None or most is None or _is_number(some):
        return
    _same_length(x, n, given)
    if any(a > b for a, b in zip(some, most, strict=True)):
        raise _refuse(x, f"not be above {n}", some)


def _among(ratings: Any, labels: Any) -> None:
    strange = [x for row in ratings for x in row if x is not None and x not in labels]
    if strange:
        raise _refuse("ratings", f"hold only labels among {list(labels)!r}", strange[0])
