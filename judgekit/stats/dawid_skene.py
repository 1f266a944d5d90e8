"""Rater error rates without a reference, after Dawid and Skene: a diagnostic, never a truth."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.estimate import Undefined
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_ITERATIONS = 2_000
TOLERANCE = 1e-12


class DawidSkene(Record):
    """The fitted model.

    `posterior[i][k]` is the probability that item i is of class k; `confusion[j][k][l]` that rater
    j says l of class k. `few_raters` tells that most items have fewer than three labels, where the
    model is not identified.
    """

    class_prior: tuple[float, ...]
    posterior: tuple[tuple[float, ...], ...]
    confusion: tuple[tuple[tuple[float, ...], ...], ...]
    loglik: float
    n_iterations: int
    converged: bool
    few_raters: bool


@statistic(
    "dawid_skene",
    kind="diagnostic",
    symmetric=True,
    range=(0.0, 1.0),
    needs=("ratings", "labels"),
    laws=("item_order", "rater_order", "label_order", "label_renaming", "empty_is_undefined"),
)
def dawid_skene(
    ratings: Sequence[Sequence[Hashable]],
    labels: Sequence[Hashable],
    *,
    max_iterations: int = MAX_ITERATIONS,
) -> DawidSkene | Undefined:
    """Fit class shares and rater error rates by EM.

    Formula: start T_ik = vote shares; p_k = mean_i T_ik;
    theta_jkl = sum_i T_ik 1[x_ij=l]/sum_i T_ik 1[j rated i]; T_ik ~ p_k prod_j theta_jk,x_ij; until
    the log likelihood moves by less than 1e-12 or `max_iterations`. No smoothing.
    Shapes: ratings N x J with None for missing, K labels. All outputs but `loglik` (natural log)
    are probabilities. Items without labels are left out of the fit and get the class prior.
    Undefined: no label at all. A rater never seen with a class has row 1/K for it.
    No interval. Weakness: local optima, label switching, raters assumed independent given the
    class; needs three raters on most items. The judge must not be one of the raters.
    Source: Dawid & Skene 1979, Applied Statistics 28:20, doi 10.2307/2346806.

    Raises:
        KeyError: a rating is not in `labels`.

    Example:
        >>> dawid_skene([[1, 1, 1], [2, 2, 2], [1, 1, 2], [2, 2, 2]], [1, 2]).class_prior
        (0.5, 0.5)
    """
    votes = _one_hot(ratings, labels)
    if not votes.any():
        return Undefined(undefined="no item has a label", n=len(ratings))
    return _fitted(votes, max_iterations)


def _fitted(votes: Floats, max_iterations: int) -> DawidSkene:
    import numpy as np

    rated = votes.any(axis=(1, 2))
    fit = _expectation_maximisation(votes[rated], max_iterations)
    prior, theta, inside, loglik, steps, converged = fit
    posterior = np.tile(prior, (len(votes), 1))
    posterior[rated] = inside
    return DawidSkene(
        class_prior=tuple(map(float, prior)),
        posterior=tuple(tuple(map(float, row)) for row in posterior),
        confusion=tuple(tuple(tuple(map(float, row)) for row in rater) for rater in theta),
        loglik=loglik,
        n_iterations=steps,
        converged=converged,
        few_raters=bool((votes[rated].sum(axis=(1, 2)) < 3).mean() > 0.5),
    )


def _one_hot(ratings: Sequence[Sequence[Hashable]], labels: Sequence[Hashable]) -> Floats:
    """Return (N, J, K): 1 where rater j gave item i label k."""
    import numpy as np

    position = {label: k for k, label in enumerate(labels)}
    votes = np.zeros((len(ratings), max(map(len, ratings), default=0), len(labels)))
    for i, row in enumerate(ratings):
        for j, label in enumerate(row):
            if label is not None:
                votes[i, j, position[label]] = 1
    return votes


def _expectation_maximisation(
    votes: Floats, max_iterations: int
) -> tuple[Floats, Floats, Floats, float, int, bool]:
    """Return prior, rater matrices, posterior, log likelihood, steps and whether it converged."""
    import numpy as np

    posterior = votes.sum(axis=1) / votes.sum(axis=(1, 2))[:, None]
    before = -np.inf
    for step in range(1, max_iterations + 1):
        prior, theta = posterior.mean(axis=0), _rater_matrices(votes, posterior)
        joint = _log_joint(votes, prior, theta)
        top = joint.max(axis=1, keepdims=True)
        scaled = np.exp(joint - top)
        total = scaled.sum(axis=1, keepdims=True)
        posterior = scaled / total
        loglik = float((top + np.log(total)).sum())
        if abs(loglik - before) < TOLERANCE:
            return prior, theta, posterior, loglik, step, True
        before = loglik
    return prior, theta, posterior, loglik, max_iterations, False


def _rater_matrices(votes: Floats, posterior: Floats) -> Floats:
    """Return (J, K, L) shares; 1/K where a rater saw nothing of a class."""
    import numpy as np

    weight = np.einsum("ik,ijl->jkl", posterior, votes)
    total = weight.sum(axis=2, keepdims=True)
    even = np.full_like(weight, 1 / votes.shape[2])
    return np.asarray(np.divide(weight, total, out=even, where=total > 0))


def _log_joint(votes: Floats, prior: Floats, theta: Floats) -> Floats:
    """Return (N, K) log p_k + sum_j log theta_jk,x_ij; a zero makes it the lowest float."""
    import numpy as np

    tiny = np.log(np.finfo(float).tiny)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(theta), 10 * tiny)
        return np.asarray(
            np.maximum(np.log(prior), 10 * tiny)[None] + np.einsum("ijl,jkl->ik", votes, logs)
        )
