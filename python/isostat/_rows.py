"""What a fit tells of its rows, computed when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from isostat import _simulate

__all__ = ["RowQuantities"]


class RowQuantities:
    """Quantities of length n; a fit inherits them."""

    _core: Any
    _call: dict[str, Any]

    @cached_property
    def fitted(self) -> Any:
        """Fitted means, shape (n,)."""
        return self._core.fitted()

    @cached_property
    def linear_predictor(self) -> Any:
        """Linear predictor with its offset, shape (n,)."""
        return self._core.linear_predictor()

    def residuals(self, kind: str = "deviance", *, seed: int = 0) -> Any:
        """Residuals, shape (n,).

        Parameters
        ----------
        kind : {"deviance", "pearson", "response", "working", "quantile"}
            Quantile residuals [Dunn and Smyth 1996] are randomised for discrete families, from ``seed``.
        """
        if kind != "quantile":
            return self._core.residuals(kind)
        return _simulate.quantile_residuals(self, seed)

    @cached_property
    def leverage(self) -> Any:
        """Diagonal of the hat matrix, shape (n,)."""
        return self._core.leverage()

    @cached_property
    def cooks_distance(self) -> Any:
        """Cook's distance, as R: Pearson residuals and the summary's dispersion."""
        return self._core.cooks_distance()

    @cached_property
    def rstandard(self) -> Any:
        """Deviance residuals over their standard deviation."""
        return self._core.rstandard()

    @cached_property
    def rstudent(self) -> Any:
        """Studentised residuals, as R's ``rstudent``."""
        return self._core.rstudent()

    @property
    def rows_used(self) -> Any:
        """Positions of the table's rows that were used, from 0."""
        return np.asarray(self._core.rows[0], dtype=np.intp)

    @property
    def n_dropped(self) -> int:
        """Rows of the table that were left out for missing values."""
        used, source = self._core.rows
        return source - len(used) if used else 0

    def model_matrix(self) -> Any:
        """Return the design, shape (n, p)."""
        if "formula" not in self._call:
            X = self._call["X"]
            if hasattr(X, "toarray"):
                X = X.toarray()
            if self._call["intercept"] and not self._call["is_foreign"]:
                return np.column_stack([np.ones(len(X)), X])
            return X
        values, n, p = self._core.model_matrix(self._frame_used())
        return np.asarray(values).reshape(n, p)

    def _frame_used(self) -> Any:
        """Return the table of a formula, without the rows that were dropped."""
        frame = self._call["data"]
        return frame.take(self._core.rows[0]) if self.n_dropped else frame
