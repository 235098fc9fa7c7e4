"""A fit read back from a file: it predicts and reports, and has no rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from isostat import _convert, _core, _predict
from isostat.errors import DomainError, UnsupportedError
from isostat.evidence import Evidence
from isostat.status import Status

__all__ = ["SavedFit"]

_FORMAT = "isostat-glm-1"


class SavedFit:
    """The small part of a fit: coefficients, covariance, the rules of its formula."""

    def __init__(self, state: dict[str, Any]) -> None:
        if state.get("format") != _FORMAT:
            raise DomainError(f'[domain] load: `path` must hold a saved fit ("{_FORMAT}"), got {state.get("format")!r}')
        self._state = state

    def _numbers(self, name: str) -> np.ndarray[Any, Any]:
        return np.asarray([np.nan if v is None else v for v in self._state[name]], dtype=np.float64)

    @property
    def coef(self) -> np.ndarray[Any, Any]:
        """Coefficients, shape (p,)."""
        return self._numbers("coef")

    @property
    def vcov(self) -> np.ndarray[Any, Any]:
        """Covariance, shape (p, p)."""
        p = len(self._state["coef"])
        return self._numbers("vcov").reshape(p, p)

    @property
    def stderr(self) -> np.ndarray[Any, Any]:
        """Standard errors, shape (p,)."""
        return np.sqrt(np.diag(self.vcov))

    @property
    def status(self) -> Status:
        """How the fit ended."""
        return Status(self._state["status"])

    @property
    def evidence(self) -> Evidence:
        """What ran."""
        return Evidence(self._state["evidence"])

    def __getattr__(self, name: str) -> Any:
        """Look a saved number up: deviance, loglik, dispersion, n_obs, theta, ….."""
        state = object.__getattribute__(self, "_state") if "_state" in self.__dict__ else {}
        if name in state:
            return state[name]
        raise AttributeError(f"a saved fit has no {name!r}: it keeps no rows of the data")

    def summary(self) -> str:
        """Return the summary of the fit when it was saved."""
        return str(self._state["summary"])

    __repr__ = summary

    def predict(
        self,
        newdata: Any,
        *,
        type: str = "response",
        offset: Any = None,
        exposure: Any = None,
        new_levels: str = "error",
        na: str | None = None,
    ) -> Any:
        """Predict at the rows of a table or array, as :meth:`isostat.Fit.predict`."""
        if type not in ("response", "link"):
            raise UnsupportedError(
                f"[unsupported] predict of a saved fit with type={type!r} is not supported: "
                'it keeps no rows; use type="link"'
            )
        spec = self._state["spec"]
        if spec is not None:
            frame = _convert.as_frame(newdata, None)
            values, p, shift, rows = _core._design_of_spec(spec, frame, _predict.policy(new_levels, na))
            eta = np.full(frame.n_rows, np.nan)
            eta[rows] = np.asarray(values).reshape(-1, p) @ np.nan_to_num(self.coef) + np.asarray(shift)
            offset, exposure = (
                _predict.named(self._state[name], name, frame) if value is None else value
                for name, value in (("offset", offset), ("exposure", exposure))
            )
        else:
            names, has_ones = self._state["coef_names"], self._state["intercept"]
            matrix = _predict.columns_of(names[1:] if has_ones else names, self._state["is_named"], newdata)
            if has_ones:
                matrix = np.column_stack([np.ones(len(matrix)), matrix])
            eta = matrix @ np.nan_to_num(self.coef)
        eta = _predict.shifted(_predict.shifted(eta, "offset", offset), "exposure", exposure)
        if type == "link":
            return eta
        name, theta, power, variance = self._state["family_given"]
        return _core._mean_at(name, theta, power, variance, self._state["link"], eta)
