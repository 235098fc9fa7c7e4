"""The pure form of a fit: arrays in, arrays out, for ``jax.jit``, ``jax.vmap``, ``jax.grad`` and torch autograd.

Values are not checked: traced arrays have none. Shapes are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from isostat import _core
from isostat.families import Family
from isostat.links import Link

__all__ = ["FunctionalFit", "glm"]


class FunctionalFit(NamedTuple):
    """What a functional fit gives, in the caller's namespace."""

    coef: Any
    vcov: Any
    loglik: Any
    deviance: Any


def glm(
    X: Any,
    y: Any,
    *,
    family: str | Family = "gaussian",
    link: str | Link | None = None,
    weights: Any = None,
    offset: Any = None,
    n_iter: int | None = None,
    tol: float = 1e-10,
    max_iter: int = 50,
) -> FunctionalFit:
    """Fit a GLM as a pure function.

    The iteration runs on values cut from the derivative; two Newton steps with the observed information at its end
    carry exact first and second derivatives with respect to every input.

    Parameters
    ----------
    X : array, shape (n, p)
        Design; an intercept is a column of it.
    y : array, shape (n,)
        Response.
    family, link : str or object
        As :func:`isostat.fit_glm`; theta and power must be given.
    weights, offset : array, shape (n,), optional
        Prior weights and offset.
    n_iter : int, optional
        A fixed number of iterations, for transformations that allow no loop whose length depends on data
        (``torch.func.vmap``). None iterates to ``tol``.
    tol : float
        Newton decrement in log-likelihood units.
    max_iter : int
        Most iterations.

    Returns
    -------
    FunctionalFit
        ``(coef (p,), vcov (p, p), loglik (), deviance ())``. ``loglik`` is NaN for quasi families, which have none, and
        for Tweedie's, whose dispersion and series :func:`isostat.fit_glm` finds from values.

    Raises
    ------
    ShapeError, MixedEngineError, UnsupportedError
    """
    return FunctionalFit(*_core._functional_glm(X, y, family, link, weights, offset, n_iter, tol, max_iter))
