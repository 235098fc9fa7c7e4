"""Families with parameters; those without go by their name alone: ``family="poisson"``.

>>> from isostat import families
>>> families.negative_binomial(theta=2.0)
Family(name='negative_binomial', theta=2.0)
"""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = [
    "Family",
    "binomial",
    "gamma",
    "gaussian",
    "inverse_gaussian",
    "negative_binomial",
    "poisson",
    "quasi",
    "quasibinomial",
    "quasipoisson",
    "tweedie",
]


@dataclass(frozen=True, repr=False)
class Family:
    """A family by name, with the parameters that are given; open ones are estimated.

    It holds no data and may be used for any number of fits.
    """

    name: str
    theta: float | None = None
    power: float | None = None
    variance: str | None = None
    link: str | None = None

    def __repr__(self) -> str:
        given = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) is not None)
        return f"Family({', '.join(given)})"


def gaussian() -> Family:
    """Gaussian: constant variance."""
    return Family("gaussian")


def binomial() -> Family:
    """Binomial proportions: variance ``mu (1 - mu)``."""
    return Family("binomial")


def poisson() -> Family:
    """Poisson counts: variance ``mu``."""
    return Family("poisson")


def gamma() -> Family:
    """Gamma: variance ``phi mu^2``."""
    return Family("gamma")


def inverse_gaussian() -> Family:
    """Inverse Gaussian: variance ``phi mu^3``."""
    return Family("inverse_gaussian")


def negative_binomial(theta: float | None = None) -> Family:
    """Negative binomial (NB2): variance ``mu + mu^2 / theta``.

    Parameters
    ----------
    theta : float, optional
        The shape; None estimates it jointly by maximum likelihood, with dispersion 1, as MASS's ``glm.nb``. With
        theta given, standard errors are scaled by Pearson's dispersion, as R's ``glm`` does.
    """
    return Family("negative_binomial", theta=theta)


def tweedie(power: float | None = None) -> Family:
    """Tweedie: variance ``phi mu^power``, ``1 < power < 2``; None estimates the power by profile likelihood."""
    return Family("tweedie", power=power)


def quasi(variance: str = "constant", link: str | None = None) -> Family:
    """Build a quasi family: a variance function without a likelihood.

    Parameters
    ----------
    variance : {"constant", "mu", "mu^2", "mu^3", "mu(1-mu)"}
    link : str, optional
        Name of the link; the identity by default, as in R.
    """
    return Family("quasi", variance=variance, link=link)


def quasipoisson() -> Family:
    """Poisson coefficients, standard errors scaled by Pearson's dispersion."""
    return Family("quasipoisson")


def quasibinomial() -> Family:
    """Binomial coefficients, standard errors scaled by Pearson's dispersion."""
    return Family("quasibinomial")
