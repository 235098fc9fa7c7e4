"""Diagnostic plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isostat import _core
from isostat.engines.base import require

if TYPE_CHECKING:
    from isostat.fit import Fit

__all__ = ["diagnostics"]


def diagnostics(fit: Fit) -> Any:
    """Draw residuals against the linear predictor, their normal quantiles, their scale, and leverage."""
    require("matplotlib", "plot", "pip install matplotlib")
    from matplotlib.figure import Figure

    eta, deviance, standard, leverage = (
        np.asarray(_core._array_to_numpy(v))
        for v in (fit.linear_predictor, fit.residuals("deviance"), fit.rstandard, fit.leverage)
    )
    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.subplots(2, 2)
    figure.suptitle(f"{fit.family}, link {fit.link}: {fit.n_obs} rows")
    _scatter(axes[0, 0], eta, deviance, "Linear predictor", "Deviance residual", "Residuals")
    axes[0, 0].axhline(0, color="grey", linewidth=0.8)
    ordered = np.sort(standard[np.isfinite(standard)])
    positions = (np.arange(len(ordered)) + 0.5) / max(len(ordered), 1)
    normal = np.asarray([_core._normal_quantile(float(p)) for p in positions])
    _scatter(axes[0, 1], normal, ordered, "Normal quantile", "Standardised deviance residual", "Quantiles")
    axes[0, 1].axline((0, 0), slope=1, color="grey", linewidth=0.8)
    _scatter(axes[1, 0], eta, np.sqrt(np.abs(standard)), "Linear predictor", "√|standardised residual|", "Scale")
    _scatter(axes[1, 1], leverage, standard, "Leverage", "Standardised deviance residual", "Leverage")
    axes[1, 1].axhline(0, color="grey", linewidth=0.8)
    return figure


def _scatter(axes: Any, x: Any, y: Any, x_label: str, y_label: str, title: str) -> None:
    axes.plot(x, y, "o", markersize=4, alpha=0.7)
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
