"""Comparison of nested fits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from isostat import _core
from isostat.errors import DomainError, ShapeError
from isostat.fit import Fit

__all__ = ["AnovaTable", "anova"]


@dataclass(frozen=True)
class AnovaTable:
    """Analysis of deviance: one row a fit, each tested against the one before it."""

    dof_residual: tuple[float, ...]
    deviance: tuple[float, ...]
    dof: tuple[float | None, ...]
    difference: tuple[float | None, ...]
    statistic: tuple[float | None, ...]
    p_value: tuple[float | None, ...]
    test: str

    def __repr__(self) -> str:
        head = ["", "Resid. df", "Resid. dev", "df", "Deviance", self.test, "p value"]
        rows = [
            [str(i + 1), *(("" if v is None else f"{v:.6g}") for v in row)]
            for i, row in enumerate(
                zip(
                    self.dof_residual, self.deviance, self.dof, self.difference, self.statistic, self.p_value,
                    strict=True,
                )
            )
        ]  # fmt: skip
        widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
        return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in [head, *rows])


def anova(*fits: Fit) -> AnovaTable:
    """Compare nested fits by their deviance, in the order given.

    F where the dispersion is estimated (that of the largest fit), chi-squared where it is known, as R's ``anova``.

    Raises
    ------
    DomainError, ShapeError
        If fewer than two fits are given, or families, links or numbers of rows differ.
    """
    if len(fits) < 2:
        raise DomainError(f"[domain] anova: `fits` must be at least two, got {len(fits)}")
    first = fits[0]
    for other in fits[1:]:
        if (other.family, other.link) != (first.family, first.link):
            raise DomainError(
                f"[domain] anova: `fits` must share family and link, got {first.family} with {first.link} and "
                f"{other.family} with {other.link}"
            )
        if other.n_obs != first.n_obs:
            raise ShapeError(f"[shape] anova: `fits` must have the same rows, got {first.n_obs} and {other.n_obs}")
    largest = min(fits, key=lambda f: f.dof_residual)
    is_free = first.statistic_kind == "t"
    dof: list[float | None] = [None]
    difference: list[float | None] = [None]
    statistic: list[float | None] = [None]
    p_value: list[float | None] = [None]
    for before, after in pairwise(fits):
        d, gain = before.dof_residual - after.dof_residual, before.deviance - after.deviance
        dof.append(d)
        difference.append(gain)
        if d == 0:
            statistic.append(None)
            p_value.append(None)
        elif is_free:
            f = gain / d / largest.dispersion
            statistic.append(f)
            p_value.append(_core._f_sf(f, abs(d), largest.dof_residual))
        else:
            statistic.append(gain)
            p_value.append(_core._chi2_sf(abs(gain), abs(d)))
    return AnovaTable(
        tuple(f.dof_residual for f in fits),
        tuple(f.deviance for f in fits),
        tuple(dof),
        tuple(difference),
        tuple(statistic),
        tuple(p_value),
        "F" if is_free else "chi2",
    )
