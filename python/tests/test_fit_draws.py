"""Draws from a fit, quantile residuals, and the Tweedie power: against SciPy and the law of large numbers."""

from __future__ import annotations

import isostat as iso
import numpy as np
import pandas as pd
import pytest
from isostat.errors import UnsupportedError
from scipy import optimize, special, stats

# A p-value of a correct sampler falls below this once in a thousand tests; seeds are fixed.
CHANCE = 1e-3
# Moments of draws, in their standard errors: beyond 5 once in two million.
SIGMAS = 5.0
# The series of the Tweedie density summed two ways.
SERIES = 1e-9
# Two one-dimensional maximisers of a profile whose top is flat: its root of rounding.
MAXIMISER = 1e-5


SAMPLED = {
    "gaussian": {"family": "gaussian"},
    "poisson": {"family": "poisson"},
    "gamma": {"family": "gamma", "link": "log"},
    "inverse_gaussian": {"family": "inverse_gaussian", "link": "log"},
    "negative_binomial": {"family": iso.families.negative_binomial(theta=2.0)},
    "tweedie": {"family": iso.families.tweedie(power=1.5), "link": "log"},
    "binomial": {"family": "binomial"},
}


def variance_of(name: str, mu: np.ndarray, phi: float) -> np.ndarray:
    return {
        "gaussian": lambda: phi + 0 * mu,
        "poisson": lambda: mu,
        "gamma": lambda: phi * mu**2,
        "inverse_gaussian": lambda: phi * mu**3,
        "negative_binomial": lambda: mu + mu**2 / 2.0,
        "tweedie": lambda: phi * mu**1.5,
        "binomial": lambda: mu * (1 - mu),
    }[name]()


def truth(name: str, n: int, seed: int) -> pd.DataFrame:
    """Data that the family itself draws, by SciPy and NumPy."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    mu = np.exp(0.7 + 0.5 * x)
    y = {
        "gaussian": lambda: rng.normal(mu, 0.6),
        "poisson": lambda: rng.poisson(mu),
        "gamma": lambda: rng.gamma(1 / 0.4, mu * 0.4),
        "inverse_gaussian": lambda: stats.invgauss.rvs(0.2 * mu, scale=1 / 0.2, random_state=rng),
        "negative_binomial": lambda: rng.negative_binomial(2.0, 2.0 / (2.0 + mu)),
        "tweedie": lambda: tweedie_draws(rng, mu, 0.8),
        "binomial": lambda: rng.binomial(1, special.expit(0.4 + x)),
    }[name]()
    return pd.DataFrame({"x": x, "y": np.asarray(y, dtype=float)})


def tweedie_draws(rng: np.random.Generator, mu: np.ndarray, phi: float) -> np.ndarray:
    """Sums of Poisson many gamma variables, power 1.5."""
    counts = rng.poisson(2 * np.sqrt(mu) / phi)
    return np.array([rng.gamma(1.0, 0.5 * phi * np.sqrt(m), k).sum() for m, k in zip(mu, counts, strict=True)])


@pytest.mark.parametrize("name", SAMPLED)
def test_draws_have_the_moments_of_the_fit(name):
    d = truth(name, 25, seed=3)
    fit = iso.glm("y ~ x", d, **SAMPLED[name])
    n = 20_000
    drawn = fit.simulate(n, seed=11)
    assert drawn.shape == (n, 25)
    mu = fit.fitted
    variance = variance_of(name, mu, fit.dispersion)
    mean_error = np.sqrt(variance / n)
    assert np.all(np.abs(drawn.mean(axis=0) - mu) < SIGMAS * mean_error)
    fourth = np.mean((drawn - mu) ** 4, axis=0)
    spread = np.sqrt((fourth - variance**2) / n)
    assert np.all(np.abs(np.mean((drawn - mu) ** 2, axis=0) - variance) < SIGMAS * spread)
    np.testing.assert_array_equal(fit.simulate(3, seed=11), fit.simulate(3, seed=11))
    assert np.any(fit.simulate(3, seed=11) != fit.simulate(3, seed=12))


def test_a_quasi_family_has_no_draws():
    fit = iso.glm("y ~ x", truth("poisson", 50, seed=1), family="quasipoisson")
    with pytest.raises(UnsupportedError, match='simulate for family "quasipoisson" is not supported'):
        fit.simulate(2, seed=1)


@pytest.mark.parametrize("name", SAMPLED)
def test_quantile_residuals_of_true_models_are_normal(name):
    fit = iso.glm("y ~ x", truth(name, 3000, seed=5), **SAMPLED[name])
    residuals = fit.residuals("quantile", seed=7)
    assert stats.kstest(residuals, "norm").pvalue > CHANCE
    np.testing.assert_array_equal(residuals, fit.residuals("quantile", seed=7))


def test_quantile_residuals_show_a_wrong_model():
    d = truth("negative_binomial", 3000, seed=5)
    residuals = iso.glm("y ~ x", d, family="poisson").residuals("quantile", seed=7)
    assert stats.kstest(residuals, "norm").pvalue < 1e-6


# -- the Tweedie power -----------------------------------------------------------------------------------------


def tweedie_loglik(y: np.ndarray, mu: np.ndarray, phi: float, p: float) -> float:
    """Dunn and Smyth's series [2005, equation 6], summed over 400 terms."""
    a = (2 - p) / (1 - p)
    positive = y > 0
    total = -np.sum(mu ** (2 - p)) / (phi * (2 - p))
    y, mu = y[positive], mu[positive]
    j = np.arange(1, 400)[:, None]
    z = -a * np.log(y) + a * np.log(p - 1) - (1 - a) * np.log(phi) - np.log(2 - p)
    series = special.logsumexp(j * z - special.gammaln(j + 1) - special.gammaln(-a * j), axis=0)
    return total + np.sum(series - np.log(y) + y * mu ** (1 - p) / (phi * (1 - p)))


def best_phi(y: np.ndarray, mu: np.ndarray, p: float) -> tuple[float, float]:
    found = optimize.minimize_scalar(
        lambda log_phi: -tweedie_loglik(y, mu, np.exp(log_phi), p), bounds=(-3, 3), options={"xatol": 1e-9}
    )
    return -found.fun, float(np.exp(found.x))


def test_tweedie_likelihood_is_the_series_at_its_best_dispersion():
    d = truth("tweedie", 300, seed=9)
    fit = iso.glm("y ~ x", d, family=iso.families.tweedie(power=1.5), link="log")
    value, _ = best_phi(d["y"].to_numpy(), fit.fitted, 1.5)
    assert fit.loglik == pytest.approx(value, rel=SERIES)


def test_tweedie_power_is_the_top_of_the_profile():
    d = truth("tweedie", 300, seed=9)
    y = d["y"].to_numpy()
    fit = iso.glm("y ~ x", d, family="tweedie", link="log")

    def profile(p: float) -> float:
        means = iso.glm("y ~ x", d, family=iso.families.tweedie(power=p), link="log").fitted
        return best_phi(y, means, p)[0]

    found = optimize.minimize_scalar(lambda p: -profile(p), bounds=(1.2, 1.8), options={"xatol": 1e-7})
    assert fit.power == pytest.approx(found.x, abs=MAXIMISER)
    assert fit.loglik == pytest.approx(-found.fun, rel=SERIES)
    assert fit.n_parameters == 4
    assert abs(fit.power - 1.5) < 0.15
    assert f"power {fit.power:.6g}, estimated" in fit.summary()
