"""The field cases of `reference/field`, as their tests read them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from isostat.errors import ConvergenceWarning

FIELD = Path(__file__).resolve().parents[2] / "reference" / "field"

# Two ways to the same maximum, each at its own rounding.
SAME_FIT = 1e-10
# Sums of n rounded terms.
SUMS = 1e-10


class Case:
    """One folder: data, new data, expected answers, tolerance."""

    def __init__(self, number: str) -> None:
        (folder,) = FIELD.glob(f"{number}_*")
        record = json.loads((folder / "expected.json").read_text())
        self.data = pd.read_csv(folder / "data.csv")
        self.expected = record["expected"]
        self.tolerance = record["tolerance"]
        self.new = pd.read_csv(folder / "newdata.csv") if (folder / "newdata.csv").exists() else None

    def check(self, ours, name: str, key: str = "rel") -> None:
        """Compare with one expected answer, by name where it is an object, within the case's tolerance."""
        theirs = self.expected[name]
        check(ours, theirs, self.tolerance[key])


def check(ours, theirs, rel: float) -> None:
    theirs = np.asarray([float(v) for v in theirs.values()] if isinstance(theirs, dict) else theirs, dtype=float)
    np.testing.assert_allclose(np.asarray(ours, dtype=float), theirs, rtol=rel, atol=0)


def named(fit) -> dict[str, float]:
    return dict(zip(fit.coef_names, fit.coef, strict=True))


def quiet(call, *arguments, **options):
    """Fit without the warning that the test looks for elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return call(*arguments, **options)
