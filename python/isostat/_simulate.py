"""Draws from a fit, and residuals that are draws for discrete families. Random numbers come from NumPy's PCG64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isostat import _core
from isostat.errors import UnsupportedError

if TYPE_CHECKING:
    from isostat.fit import Fit

__all__ = ["quantile_residuals", "simulate"]


def _rows(fit: Fit) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Means and prior weights as float64 vectors of the host."""
    mean = np.asarray(_core._array_to_numpy(fit.fitted), dtype=np.float64)
    weights = np.asarray(_core._array_to_numpy(fit._core.weights()), dtype=np.float64)
    return mean, np.broadcast_to(weights, mean.shape)


def simulate(fit: Fit, n: int, seed: int) -> Any:
    """Draw ``n`` sets of responses, shape (n, n_obs), with means and dispersion of the fit."""
    rng = np.random.Generator(np.random.PCG64(seed))
    mean, weights = _rows(fit)
    drawn = _draw(fit, rng, mean, weights, (n, len(mean)))
    if fit._like is None:
        return drawn
    return fit._array(drawn)


def _draw(fit: Fit, rng: np.random.Generator, mean: Any, weights: Any, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    name, theta, power, _ = fit._core.family_given
    with np.errstate(divide="ignore"):
        phi = fit.dispersion / weights
    if name == "gaussian":
        return rng.normal(mean, np.sqrt(phi), size)
    if name == "poisson":
        return rng.poisson(mean, size).astype(np.float64)
    if name == "binomial":
        trials = np.round(weights).astype(np.int64)
        return np.asarray(rng.binomial(trials, mean, size) / np.maximum(trials, 1))
    if name == "gamma":
        return rng.gamma(1.0 / phi, mean * phi, size)
    if name == "inverse_gaussian":
        return rng.wald(mean, 1.0 / phi, size)
    if name == "negative_binomial":
        return rng.poisson(rng.gamma(theta, mean / theta, size)).astype(np.float64)
    if name == "tweedie":
        counts = rng.poisson(mean ** (2 - power) / (phi * (2 - power)), size)
        shape = (2 - power) / (power - 1)
        scale = phi * (power - 1) * mean ** (power - 1)
        return np.where(counts > 0, rng.gamma(np.maximum(counts * shape, 1e-300), scale), 0.0)
    raise UnsupportedError(
        f'[unsupported] simulate for family "{fit.family}" is not supported: a quasi family has no distribution; '
        "use the family that it approximates"
    )


def quantile_residuals(fit: Any, seed: int) -> Any:
    """Take normal quantiles of the fitted distribution functions, randomised within the jump of discrete families."""
    rng = np.random.Generator(np.random.PCG64(seed))
    mean, weights = _rows(fit)
    y = np.asarray(_core._array_to_numpy(fit._core.response()), dtype=np.float64)
    uniform = 1.0 - rng.random(len(y))
    name, theta, power, _ = fit._core.family_given
    residuals = _core._quantile_residuals(
        name, theta, power, fit.dispersion, y.tolist(), mean.tolist(), weights.tolist(), uniform.tolist()
    )
    return fit._array(residuals)
