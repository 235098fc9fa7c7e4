"""Parity of a fit with the NumPy baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isostat import _convert, _core
from isostat.errors import DomainError
from isostat.evidence import Evidence
from isostat.fit import Fit

__all__ = ["verify"]


@dataclass(frozen=True)
class Verification(Evidence):
    """The evidence of a fit, with its parity: what differs from the baseline, and by how much."""

    @property
    def is_equal(self) -> bool:
        """Whether every coefficient agrees within the dtype's tolerance, in units of its standard error."""
        return bool(self.record["parity"]["coef_in_stderr"] <= self.record["parity"]["tolerance"])


def verify(fit: Fit, data: Any = None) -> Verification:
    """Fit again on the NumPy baseline, operation by operation in float64, and compare.

    Parameters
    ----------
    fit : Fit
    data : table, optional
        The table of a formula; None takes the one that the fit holds.

    Returns
    -------
    Verification
        ``parity`` holds the largest difference of coefficients (absolute, and in standard errors), of deviance
        (relative), of the iterations, and the numbers of non-finite values.
    """
    from isostat.engines import NUMPY_ENGINE, to_numpy
    from isostat.glm import fit_glm

    call = dict(fit._call)
    if "formula" in call:
        frame = call["data"] if data is None else _convert.as_frame(data, None)
        shared = {**call["shared"], "host": "numpy"}
        core = _core._fit_glm_frame(
            call["formula"], frame, call["family"], call["link"], call["weights"], call["offset"], call["exposure"],
            "drop" if fit.n_dropped else "raise", shared,
        )  # fmt: skip
        baseline = Fit(core, None, {**call, "shared": shared})
    else:
        if data is not None:
            raise DomainError(
                "[domain] verify: `data` must be None for a fit of arrays, which it holds itself, got a table"
            )
        X, y, weights, offset = (
            to_numpy(call[name]) if not hasattr(call[name], "tocsc") else call[name]
            for name in ("X", "y", "weights", "offset")
        )
        baseline = fit_glm(
            _double(X), _double(y), family=call["family"], link=call["link"], weights=_double(weights),
            offset=_double(offset), intercept=call["intercept"] and not call["is_foreign"], engine=NUMPY_ENGINE,
            weights_kind=fit.weights_kind, max_iter=call["shared"]["max_iter"], tol=call["shared"]["tol"],
        )  # fmt: skip
    return Verification({**fit.evidence.record, "parity": _parity(fit, baseline)})


def _double(x: Any) -> Any:
    if x is None or isinstance(x, (int, float)):
        return x
    if hasattr(x, "tocsc"):
        return x.astype(np.float64)
    return np.asarray(x, dtype=np.float64)


def _parity(fit: Fit, baseline: Fit) -> dict[str, float]:
    ours, theirs = np.asarray(fit._core.coef), np.asarray(baseline._core.coef)
    used = np.isfinite(ours) & np.isfinite(theirs)
    difference = np.abs(ours - theirs)[used]
    stderr = baseline._stderr[used]
    single = fit.evidence.dtype == "float32"
    scale = max(abs(baseline.deviance), np.finfo(float).tiny)
    return {
        "coef_max_abs": float(difference.max(initial=0.0)),
        "coef_in_stderr": float(np.nanmax(np.append(difference / stderr, 0.0))),
        "deviance_relative": abs(fit.deviance - baseline.deviance) / scale,
        "iterations": fit.n_iter - baseline.n_iter,
        "nonfinite": int(np.sum(~np.isfinite(ours))),
        "nonfinite_baseline": int(np.sum(~np.isfinite(theirs))),
        "tolerance": 1e-2 if single else 1e-7,
    }
