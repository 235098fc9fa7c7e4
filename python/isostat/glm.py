"""Generalised linear models: the two entrances."""

from __future__ import annotations

import warnings as _warnings
from typing import Any

import numpy as np

from isostat import _convert, _core
from isostat._options import engine_named, shared_options
from isostat.engines.base import Engine
from isostat.errors import ConvergenceWarning, DomainError, ShapeError, UnsupportedError
from isostat.families import Family
from isostat.fit import Fit
from isostat.links import Link

__all__ = ["fit_glm", "glm"]


def glm(
    formula: str,
    data: Any,
    *,
    family: str | Family = "gaussian",
    link: str | Link | None = None,
    weights: Any = None,
    offset: Any = None,
    exposure: Any = None,
    na: str = "raise",
    method: str = "auto",
    weights_kind: str = "precision",
    l1: float = 0.0,
    l2: float = 0.0,
    engine: Engine | str | None = None,
    backend: str | None = None,
    num_workers: int | None = None,
    precision: str | None = None,
    max_iter: int = 100,
    tol: float = 1e-10,
    progress: bool | None = None,
    start: Any = None,
) -> Fit:
    """Fit a generalised linear model given by a formula over a table.

    Maximises ``sum_i w_i l(y_i, mu_i)`` with ``g(mu) = X beta + offset`` by iteratively reweighted least squares
    [McCullagh and Nelder 1989, section 2.5], as R's ``glm`` does.

    Parameters
    ----------
    formula : str
        As R reads it: ``"y ~ a*b + I(x^2) + log(z) + poly(t, 3) + offset(log(e)) - 1"``.
    data : table
        pandas, polars, pyarrow, a dict of columns, anything with ``__arrow_c_stream__``, or a path to a Parquet or
        CSV file.
    family : str or Family
        gaussian, binomial, poisson, gamma, inverse_gaussian, negative_binomial, tweedie, quasi, quasipoisson,
        quasibinomial, or an object of :mod:`isostat.families`.
    link : str or Link, optional
        identity, log, logit, probit, cloglog, loglog, cauchit, inverse, inverse_square, sqrt, or
        ``isostat.links.power(p)``; the family's own by default.
    weights, offset, exposure : str or array, shape (n,), optional
        Column names or values. Prior weights: ``Var(y_i) = phi V(mu_i) / w_i``; the logarithm of the exposure joins
        the offset.
    na : {"raise", "drop"}
        What becomes of rows with missing values in a variable that is used.
    method : {"auto", "irls"}
        The fitting method.
    weights_kind : {"precision", "frequency", "sampling"}
        What the weights count.
    l1, l2 : float
        Penalties; only 0 in this version.
    engine : Engine or str, optional
        ``"fused"`` (default) or ``"numpy"``, the baseline.
    backend : {"local"}, optional
        Threads in the process.
    num_workers : int, optional
        Threads.
    precision : {"float64"}, optional
        None is as the data are.
    max_iter, tol : int, float
        Most iterations; Newton decrement, in log-likelihood units, that ends them.
    progress : bool, optional
        Accepted by every entrance; a GLM has nothing to show.
    start : array, shape (p,), optional
        Coefficients to start from.

    Returns
    -------
    Fit
        ``fit.status`` says how it ended, ``fit.evidence`` what ran.

    Raises
    ------
    FormulaError, UnknownColumnError, MissingValueError, DomainError, ShapeError, UnsupportedError
    """
    shared = shared_options(
        engine, backend, num_workers, precision, method, l1, l2, weights_kind, max_iter, tol, start, "glm"
    )
    if shared["host"] is None:
        raise UnsupportedError(
            f"[unsupported] glm with engine {engine!r} is not supported: a table's columns belong to the host; "
            "use isostat.fit_glm with arrays of that engine"
        )
    wanted = _core._formula_columns(formula)
    columns = {"weights": weights, "offset": offset, "exposure": exposure}
    if wanted is not None:
        wanted = [*wanted, *(c for c in columns.values() if isinstance(c, str))]
    _convert.aligned("glm", [("data", data), *columns.items()])
    frame = _convert.as_frame(data, wanted)
    values = {name: _values(name, column) for name, column in columns.items()}
    core = _core._fit_glm_frame(
        formula, frame, family, link, values["weights"], values["offset"], values["exposure"], na, shared
    )
    call = {"formula": formula, "family": family, "link": link, "data": frame, **values, "shared": shared}
    return _told(Fit(core, None, call))


def _values(name: str, column: Any) -> Any:
    if column is None or isinstance(column, str):
        return column
    array = _convert.as_vector(name, column)
    array = _core._array_to_numpy(array) if not isinstance(array, (int, float)) else np.asarray(array)
    if array.ndim != 1:
        raise ShapeError(f"[shape] glm: `{name}` must have one dimension, got shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def fit_glm(
    X: Any,
    y: Any,
    *,
    family: str | Family = "gaussian",
    link: str | Link | None = None,
    weights: Any = None,
    offset: Any = None,
    exposure: Any = None,
    intercept: bool = True,
    coef_names: list[str] | None = None,
    method: str = "auto",
    weights_kind: str = "precision",
    l1: float = 0.0,
    l2: float = 0.0,
    engine: Engine | str | None = None,
    backend: str | None = None,
    num_workers: int | None = None,
    precision: str | None = None,
    max_iter: int = 100,
    tol: float = 1e-10,
    progress: bool | None = None,
    start: Any = None,
) -> Fit:
    """Fit a generalised linear model to arrays; the arrays decide the engine.

    All work of length n stays in the namespace and on the device of ``X``.

    Parameters
    ----------
    X : array, shape (n, p), or scipy.sparse matrix, or data frame of numbers
        Design. All arguments must be arrays of one engine, dtype and device; integer and bool ones are cast to the
        dtype of ``X``.
    y : array, shape (n,) or (n, 2)
        Response; two columns are successes and failures of a binomial.
    weights, offset, exposure : array, shape (n,), optional
        Prior weights; offset of the linear predictor; exposure, whose logarithm joins the offset.
    intercept : bool
        Whether a column of ones comes first.
    coef_names : list of str, optional
        Names of the columns of ``X``; ``x0, x1, …`` or the data frame's by default.
    family, link, method, weights_kind, l1, l2, backend, num_workers, precision, max_iter, tol, progress, start
        As :func:`glm`.
    engine : Engine or str, optional
        Arrays of another engine are converted to it, which the evidence records.

    Returns
    -------
    Fit

    Raises
    ------
    MixedEngineError, ShapeError, DtypeError, DomainError, MissingValueError, UnsupportedError
    """
    shared = shared_options(
        engine, backend, num_workers, precision, method, l1, l2, weights_kind, max_iter, tol, start, "fit_glm"
    )
    _convert.aligned("fit_glm", [("X", X), ("y", y), ("weights", weights), ("offset", offset), ("exposure", exposure)])
    X, names = _convert.as_design(X)
    y, weights, offset, exposure = (
        _convert.as_vector(name, v)
        for name, v in (("y", y), ("weights", weights), ("offset", offset), ("exposure", exposure))
    )
    conversions: list[dict[str, Any]] = []
    if shared["host"] is None:
        shared["host"] = "fused"
        named = {"X": X, "y": y, "weights": weights, "offset": offset, "exposure": exposure}
        X, y, weights, offset, exposure = _all_moved(engine_named(engine), named, conversions)
    y, weights = _convert.split_counts(y, weights)
    offset = _with_exposure(offset, exposure)
    shape = tuple(getattr(X, "shape", ()))
    if len(shape) != 2:
        raise ShapeError(
            f"[shape] fit_glm: `X` must have two dimensions (rows, columns), got shape {shape}"
            + ("; use X[:, None] for one column" if len(shape) == 1 else "")
        )
    labels = _labels(coef_names, names, shape[1], intercept)
    is_foreign = not hasattr(X, "tocsc") and _foreign(X)
    if is_foreign and intercept:
        X = _with_ones(X, conversions)
    core = _core._fit_glm(X, y, family, link, weights, offset, intercept and not is_foreign, intercept, labels, shared)
    call = {
        "X": X, "y": y, "weights": weights, "offset": offset, "family": family, "link": link,
        "intercept": intercept, "is_foreign": is_foreign, "shared": shared, "labels": labels,
        "is_named": names is not None or coef_names is not None,
    }  # fmt: skip
    return _told(Fit(core, X if is_foreign else None, call, conversions))


def _foreign(X: Any) -> bool:
    described = _core._describe_array(X)
    return described is not None and described[0] != "numpy"


def _labels(coef_names: list[str] | None, names: list[str] | None, p: int, intercept: bool) -> list[str]:
    given = coef_names if coef_names is not None else names
    if given is None:
        given = [f"x{j}" for j in range(p)]
    if len(given) != p:
        raise ShapeError(
            f"[shape] fit_glm: `coef_names` must have length {p}, one name for each column of `X`, "
            f"got length {len(given)}"
        )
    return ["(Intercept)", *given] if intercept else list(given)


def _with_ones(X: Any, conversions: list[dict[str, Any]] | None = None) -> Any:
    """Put a column of ones before X, in its own namespace; counts become floats, as wide as the namespace has them."""
    from isostat.array_api import namespace

    if "complex" in str(X.dtype):
        return X
    xp = namespace(X)
    if "float" not in str(X.dtype):
        before = _core._describe_array(X)
        X = xp.astype(X, xp.float64 if before[0] == "torch" and "mps" not in before[2] else xp.asarray(0.0).dtype)
        if conversions is not None:
            _record("X", X, before, conversions)
    ones = xp.ones_like(X[:, :1])
    return xp.concat([ones, X], axis=1)


def _with_exposure(offset: Any, exposure: Any) -> Any:
    if exposure is None:
        return offset
    from isostat.array_api import namespace

    if isinstance(exposure, (int, float)):
        raise ShapeError("[shape] fit_glm: `exposure` must have length n, one value for each row of `X`, got a number")
    xp = namespace(exposure)
    values = exposure if "float" in str(exposure.dtype) else exposure * 1.0
    is_bad = ~((values > 0) & xp.isfinite(values))
    if bool(xp.any(is_bad)):
        row = int(xp.argmax(xp.astype(is_bad, xp.int32)))
        raise DomainError(
            f"[domain] fit_glm: `exposure` must be positive and finite, got {float(values[row])} in row {row}"
        )
    return xp.log(values) if offset is None else offset + xp.log(values)


def _all_moved(target: Engine, named: dict[str, Any], conversions: list[dict[str, Any]]) -> list[Any]:
    return [_moved(target, name, value, conversions) for name, value in named.items()]


def _moved(target: Engine, name: str, value: Any, conversions: list[dict[str, Any]]) -> Any:
    if value is None or isinstance(value, (int, float)):
        return value
    described = _core._describe_array(value)
    moved = target.asarray(value)
    after = _core._describe_array(moved)
    if described != after and described is not None and after is not None:
        _record(name, moved, described, conversions)
    return moved


def _record(name: str, array: Any, before: tuple[str, str, str], conversions: list[dict[str, Any]]) -> None:
    """Record that an argument became this array."""
    after = _core._describe_array(array)
    size = int(np.prod(array.shape)) * int("".join(c for c in after[1] if c.isdigit()) or 8) // 8
    conversions.append({"what": name, "from": " ".join(before), "to": " ".join(after), "bytes": size})


def _told(fit: Fit) -> Fit:
    """Tell the user once what the fit must not keep to itself."""
    for text in fit.remarks:
        _warnings.warn(text, ConvergenceWarning, stacklevel=3)
    return fit
