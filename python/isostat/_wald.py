"""Linear hypotheses of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isostat import _core
from isostat.errors import DomainError, ShapeError

if TYPE_CHECKING:
    from isostat.fit import Fit

__all__ = ["WaldTest", "test"]


class WaldTest(NamedTuple):
    """A linear hypothesis: estimates ``L beta``, their errors, and the joint test."""

    estimate: Any
    se: Any
    statistic: float
    dof: float
    dof_denominator: float | None
    p_value: float


def test(fit: Fit, contrast: Any) -> WaldTest:
    """Test ``L beta = 0``: F where the dispersion is estimated, chi-squared where it is known."""
    matrix = _contrast(fit, contrast)
    used = ~np.isnan(fit._stderr)
    if np.any(matrix[:, ~used] != 0):
        bad = [fit.coef_names[j] for j in np.flatnonzero(~used) if np.any(matrix[:, j] != 0)]
        raise DomainError(f"[domain] test: `contrast` must not involve aliased columns, got {', '.join(bad)}")
    estimate = matrix[:, used] @ np.asarray(fit._core.coef)[used]
    covariance = matrix[:, used] @ fit._vcov[np.ix_(used, used)] @ matrix[:, used].T
    chi2 = float(estimate @ np.linalg.solve(covariance, estimate))
    q = len(matrix)
    se = np.sqrt(np.diag(covariance))
    if fit.statistic_kind == "t":
        p_value = _core._f_sf(chi2 / q, q, fit.dof_residual)
        return WaldTest(fit._array(estimate), fit._array(se), chi2 / q, q, fit.dof_residual, p_value)
    return WaldTest(fit._array(estimate), fit._array(se), chi2, q, None, _core._chi2_sf(chi2, q))


def _contrast(fit: Fit, contrast: Any) -> np.ndarray[Any, Any]:
    names, p = fit.coef_names, len(fit.coef_names)
    if isinstance(contrast, str):
        contrast = [contrast]
    if isinstance(contrast, dict):
        row = np.zeros((1, p))
        for name, weight in contrast.items():
            row[0, _position(names, name)] = weight
        return row
    if isinstance(contrast, (list, tuple)) and all(isinstance(c, str) for c in contrast):
        matrix = np.zeros((len(contrast), p))
        for i, name in enumerate(contrast):
            matrix[i, _position(names, name)] = 1.0
        return matrix
    matrix = np.atleast_2d(np.asarray(contrast, dtype=np.float64))
    if matrix.shape[1] != p:
        raise ShapeError(f"[shape] test: `contrast` must have {p} columns, got shape {matrix.shape}")
    return matrix


def _position(names: list[str], name: str) -> int:
    if name not in names:
        raise DomainError(f'[domain] test: `contrast` must name a coefficient ({", ".join(names)}), got "{name}"')
    return names.index(name)
