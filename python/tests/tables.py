"""A small table with a column of every kind, and equality up to rounding."""

from __future__ import annotations

import numpy as np
import pandas as pd

# The same numbers by another road: rounding alone.
SAME = 1e-12


def small(n: int = 60, seed: int = 1) -> pd.DataFrame:
    """A table with a column of every kind and no missing values."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(3)
    return pd.DataFrame(
        {
            "x": x,
            "k": rng.integers(0, 5, n),
            "g": rng.choice(["a", "b", "c"], n),
            "b": rng.random(n) > 0.5,
            "e": rng.uniform(1.0, 9.0, n).round(2),
            "w": rng.integers(1, 4, n),
            "y": rng.poisson(np.exp(0.5 + 0.3 * x)),
        }
    )


def equal(ours, theirs, rel: float = SAME) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=rel, atol=0)
