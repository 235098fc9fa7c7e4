"""Prediction of a fit at new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isostat import _convert, _core
from isostat.errors import DomainError, ShapeError, UnknownColumnError, UnsupportedError

if TYPE_CHECKING:
    from isostat.fit import Fit

__all__ = ["Prediction", "Request", "checked_level", "columns_of", "named", "policy", "predict", "shifted"]


class Prediction(NamedTuple):
    """Predictions with their uncertainty; what was not asked for is None."""

    fit: Any
    se: Any
    lower: Any
    upper: Any
    estimable: Any


class Request(NamedTuple):
    """What is asked of a prediction, as :meth:`isostat.Fit.predict` takes it."""

    type: str
    se: bool
    interval: str | None
    level: float
    offset: Any
    exposure: Any
    exclude: tuple[str, ...]
    policy: dict[str, str]


def policy(new_levels: str, na: str | None) -> dict[str, str]:
    """Return what becomes of rows that cannot be predicted; a missing category goes with the unseen ones by default."""
    if na not in (None, "raise", "keep"):
        raise DomainError(f'[domain] predict: `na` must be "raise" or "keep", got "{na}"')
    return {"new_levels": new_levels, "na": na or ("keep" if new_levels == "na" else "raise")}


def checked_level(level: float) -> float:
    """Refuse a level outside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise DomainError(f"[domain] interval: `level` must lie strictly between 0 and 1, got {level}")
    return float(level)


def predict(fit: Fit, newdata: Any, request: Request) -> Any:
    """Predict at new rows, or at those of the fit."""
    type, interval = request.type, request.interval
    if type not in ("response", "link", "terms"):
        raise DomainError(f'[domain] predict: `type` must be "response", "link" or "terms", got "{type}"')
    if interval not in (None, "confidence", "prediction"):
        raise DomainError(f'[domain] predict: `interval` must be "confidence" or "prediction", got "{interval}"')
    if type == "terms":
        return _terms(fit, newdata, request.exclude)
    frame = _convert.as_frame(newdata, None) if newdata is not None and "formula" in fit._call else newdata
    eta, variance, estimable = _linear(fit, frame, request.policy)
    for name, value in (("offset", request.offset), ("exposure", request.exposure)):
        if value is None and newdata is not None:
            value = named(fit._call.get(name), name, frame)
        eta = shifted(eta, name, value)
    if not request.se and interval is None:
        return eta if type == "link" else fit._core.mean_at(eta)[0]
    return _with_errors(fit, eta, variance, estimable, type, interval, checked_level(request.level))


def named(column: Any, name: str, frame: Any) -> Any:
    """Return the values of an offset or exposure that the fit took by name, on new data."""
    if not isinstance(column, str):
        return None
    if column not in frame.names:
        neutral = "exposure=1.0" if name == "exposure" else "offset=0.0"
        raise UnknownColumnError(
            f'[unknown-column] predict: the fit took {name}="{column}", and the new data have no column "{column}"; '
            f"add it, or pass {name}= (for example {neutral})"
        )
    return frame.numeric(column)


def _linear(fit: Fit, newdata: Any, policy: dict[str, str]) -> tuple[Any, Any, Any]:
    root = None
    if fit.vcov_kind != "expected":
        values, vectors = np.linalg.eigh(np.nan_to_num(fit._vcov))
        root = list((vectors * np.sqrt(np.clip(values, 0.0, None))).ravel())
    if "formula" in fit._call:
        frame = fit._frame_used() if newdata is None else newdata
        eta, variance, estimable = fit._core.predict_frame(frame, policy, root)
        return _scaled(fit, eta, variance, estimable, root, newdata is None)
    if newdata is None:
        X = fit._call["X"]
    else:
        labels = fit.coef_names[1:] if fit._call["intercept"] else fit.coef_names
        X = columns_of(labels, fit._call["is_named"], newdata)
        if fit._call["is_foreign"] and fit._call["intercept"]:
            from isostat.glm import _with_ones

            X = _with_ones(X)
    intercept = fit._call["intercept"] and not fit._call["is_foreign"]
    eta, variance, estimable = fit._core.predict_arrays(X, intercept, root)
    return _scaled(fit, eta, variance, estimable, root, newdata is None)


def columns_of(labels: list[str], is_named: bool, newdata: Any) -> Any:
    """Return the columns of the fit in their order: by name where both the fit and the new data have names."""
    X, names = _convert.as_design(newdata)
    if names is not None and is_named and names != labels:
        unknown = [label for label in labels if label not in names]
        if unknown:
            raise UnknownColumnError(
                f'[unknown-column] predict: the fit has a column "{unknown[0]}", and the new data have '
                f"{', '.join(names)}; give every column of the fit"
            )
        X = X[:, [names.index(label) for label in labels]]
    if len(X.shape) != 2 or X.shape[1] != len(labels):
        raise ShapeError(
            f"[shape] predict: `X` must have two dimensions (rows, {len(labels)} columns as the fit), "
            f"got shape {tuple(X.shape)}"
        )
    return X


def _scaled(fit: Fit, eta: Any, variance: Any, estimable: Any, root: Any, own_rows: bool) -> tuple[Any, Any, Any]:
    if own_rows:
        eta = fit.linear_predictor
    return eta, variance * (1.0 if root is not None else fit.dispersion), np.asarray(estimable)


def _with_errors(
    fit: Fit, eta: Any, variance: Any, estimable: Any, type: str, interval: str | None, level: float
) -> Prediction:
    from isostat.array_api import namespace

    xp = namespace(eta)
    mean, slope = fit._core.mean_at(eta)
    error = xp.sqrt(variance)
    spread = error
    gaussian = fit.family == "gaussian" and fit.link == "identity"
    if interval == "prediction":
        if not gaussian:
            raise UnsupportedError(
                f'[unsupported] predict with interval="prediction" for family "{fit.family}" with link "{fit.link}" '
                'is not supported: it needs the Gaussian with identity link; use interval="confidence" or simulate'
            )
        spread = xp.sqrt(variance + fit.dispersion)
    q = _core._normal_quantile(0.5 + level / 2)
    if gaussian:
        q = _core._t_quantile(0.5 + level / 2, fit.dof_residual)
    lower, upper = eta - q * spread, eta + q * spread
    if type == "response":
        lower, upper = fit._core.mean_at(lower)[0], fit._core.mean_at(upper)[0]
        if fit.link in ("inverse", "inverse_square") or fit.link.startswith("power(-"):
            lower, upper = upper, lower
        return Prediction(mean, error * slope, lower if interval else None, upper if interval else None, estimable)
    return Prediction(eta, error, lower if interval else None, upper if interval else None, estimable)


def _terms(fit: Fit, newdata: Any, exclude: tuple[str, ...]) -> dict[str, Any]:
    if "formula" not in fit._call:
        raise UnsupportedError(
            '[unsupported] predict with type="terms" is not supported: the fit was made from arrays; use type="link"'
        )
    frame = fit._frame_used() if newdata is None else _convert.as_frame(newdata, None)
    values, n, p = fit._core.model_matrix(frame)
    matrix = np.asarray(values).reshape(n, p)
    term_of_column, names = fit._core.terms
    coef = np.nan_to_num(np.asarray(fit._core.coef))
    of = np.asarray(term_of_column)
    return {name: matrix[:, of == k + 1] @ coef[of == k + 1] for k, name in enumerate(names) if name not in exclude}


def shifted(eta: Any, name: str, value: Any) -> Any:
    """Add an offset, or the logarithm of an exposure."""
    if value is None:
        return eta
    if isinstance(value, (int, float)):
        return eta + (float(np.log(value)) if name == "exposure" else value)
    value = _convert.as_vector(name, value)
    if tuple(value.shape) != tuple(eta.shape):
        raise ShapeError(
            f"[shape] predict: `{name}` must have length {eta.shape[0]}, one value for each row, "
            f"got shape {tuple(value.shape)}"
        )
    if name == "exposure":
        from isostat.array_api import namespace

        value = namespace(value).log(value)
    return eta + value
