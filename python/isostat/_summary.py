"""The summary of a fit as text, and its state as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from isostat.fit import Fit

__all__ = ["state", "text"]


def text(fit: Fit) -> str:
    """Write the coefficient table, what scales it, and how the fit ended."""
    lines = [
        f"Generalised linear model: family {_family(fit)}, link {fit.link}",
        _rows(fit),
        "",
        *_table(fit),
        "",
        f"Covariance: {_covariance(fit)}",
        f"Dispersion: {fit.dispersion:.6g} ({_dispersion(fit)})",
        f"Null deviance:     {_number(fit.null_deviance):>12} on {fit.dof_null:g} degrees of freedom",
        f"Residual deviance: {_number(fit.deviance):>12} on {fit.dof_residual:g} degrees of freedom",
    ]
    if not np.isnan(fit.loglik):
        lines.append(f"Log-likelihood: {fit.loglik:.6f}{_plugged(fit)}   AIC: {fit.aic:.4f}   BIC: {fit.bic:.4f}")
    else:
        lines.append("Log-likelihood: none (quasi family)")
    lines.append(f"Status: {fit.status.value} after {fit.n_iter} iterations on engine {fit.evidence.engine}")
    lines.extend(f"Note: {remark}" for remark in fit.remarks)
    return "\n".join(lines)


def _family(fit: Fit) -> str:
    if fit.theta == float("inf"):
        return f"{fit.family} (negative binomial with theta at infinity)"
    if fit.theta is not None:
        return f"{fit.family} (theta {fit.theta:.6g}, standard error {fit.theta_stderr:.4g}, estimated)"
    if fit.power is not None:
        return f"{fit.family} (power {fit.power:.6g}, estimated)"
    return fit.family


def _rows(fit: Fit) -> str:
    rows, weighted, total = fit._core.counts
    line = f"{rows} rows"
    if fit.n_dropped:
        line += f" ({fit.n_dropped} dropped for missing values)"
    if weighted != rows or total != rows:
        line += f"; {fit.weights_kind} weights: {weighted:g} rows with weight, sum {total:g}"
    return line


def _covariance(fit: Fit) -> str:
    if fit.vcov_kind == "expected" and fit.theta not in (None, float("inf")):
        return "inverse expected information, theta at its estimate"
    return {
        "expected": "inverse expected information",
        "sampling": "sandwich of sampling weights",
    }.get(fit.vcov_kind, f"heteroskedasticity-consistent, {fit.vcov_kind}")


def _dispersion(fit: Fit) -> str:
    return "Pearson, estimated" if fit.statistic_kind == "t" else "known"


def _plugged(fit: Fit) -> str:
    """Which dispersion the likelihood takes: not the one of the standard errors, where R does so."""
    return {
        "gaussian": " (at dispersion deviance/n)",
        "gamma": " (at dispersion deviance/sum of weights)",
        "inverse_gaussian": " (at dispersion deviance/sum of weights)",
        "tweedie": " (at its maximum over the dispersion)",
    }.get(fit.family, "")


def _table(fit: Fit) -> list[str]:
    kind = fit.statistic_kind
    head = ["", "Estimate", "Std. error", f"{kind} value", f"Pr(>|{kind}|)"]
    names = fit.coef_names
    columns = zip(np.asarray(fit._core.coef), fit._stderr, fit._statistic, fit._p_values, strict=True)
    rows = [
        [name, _number(b), _number(s), _fixed(t), _p_value(p)]
        for name, (b, s, t, p) in zip(names, columns, strict=True)
    ]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(5)]
    return [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in [head, *rows]
    ]


def _number(x: float) -> str:
    return "NA" if np.isnan(x) else f"{x:.6g}"


def _fixed(x: float) -> str:
    return "NA" if np.isnan(x) else f"{x:.3f}"


def _p_value(p: float) -> str:
    if np.isnan(p):
        return "NA"
    return "<2e-16" if p < 2e-16 else f"{p:.4g}"


def _name(column: Any) -> str | None:
    return column if isinstance(column, str) else None


def state(fit: Fit) -> dict[str, Any]:
    """Everything that a saved fit keeps: small numbers and the rules of the formula, no rows."""

    def plain(values: Any) -> list[Any]:
        return [None if v != v else float(v) for v in np.asarray(values, dtype=float).ravel()]

    return {
        "family": fit.family,
        "link": fit.link,
        "family_given": list(fit._core.family_given),
        "coef_names": fit.coef_names,
        "coef": plain(fit._core.coef),
        "vcov": plain(fit._vcov),
        "vcov_kind": fit.vcov_kind,
        "statistic_kind": fit.statistic_kind,
        "dispersion": fit.dispersion,
        "deviance": fit.deviance,
        "null_deviance": fit.null_deviance,
        "loglik": None if np.isnan(fit.loglik) else fit.loglik,
        "n_parameters": fit.n_parameters,
        "dof_residual": fit.dof_residual,
        "n_obs": fit.n_obs,
        "rank": fit.rank,
        "status": fit.status.value,
        "n_iter": fit.n_iter,
        "theta": fit.theta,
        "offset": _name(fit._call.get("offset")),
        "exposure": _name(fit._call.get("exposure")),
        "intercept": bool(fit._core.has_intercept),
        "is_named": bool(fit._call.get("is_named")),
        "spec": fit._core.spec_json,
        "evidence": fit.evidence.to_dict(),
        "summary": fit.summary(),
    }
