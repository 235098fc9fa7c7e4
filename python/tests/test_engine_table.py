"""One table: every family and link on every engine, against the NumPy baseline.

``python python/tests/test_engine_table.py --write-table`` writes ``docs/reference/engine-parity.md``.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import array_api_strict as strict
import isostat as iso
import jax
import numpy as np
import pytest
import torch
from isostat import families, links

jax.config.update("jax_enable_x64", True)
# The arrays are small: threads would wait for each other longer than they work.
torch.set_num_threads(1)
jnp = jax.numpy

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "engine-parity.md"

# The same formulas in another order of summation: a few roundings, far below what is promised.
PARITY = 1e-10
# Single precision holds seven digits, of which summation and the solution of the normal equations cost up to three.
SINGLE = 1e-4

N = 400
RNG = np.random.default_rng(20_26)
X = RNG.uniform(-1.0, 1.0, (N, 3))
WEIGHTS = RNG.integers(1, 4, N).astype(float)
OFFSET = RNG.uniform(-0.1, 0.1, N)
SMALL = 0.3 + X @ [0.5, -0.4, 0.2]
POSITIVE = 1.6 + X @ [0.4, -0.3, 0.2]
MU = np.exp(SMALL + OFFSET)
BINARY = (RNG.uniform(size=N) < 1.0 / (1.0 + np.exp(-0.2 - X @ [0.8, -0.5, 0.3]))).astype(float)


def gamma(mean: np.ndarray) -> np.ndarray:
    return RNG.gamma(4.0, mean / 4.0)


def poisson(mean: np.ndarray) -> np.ndarray:
    return RNG.poisson(mean).astype(float)


COUNTS = RNG.negative_binomial(2.0, 2.0 / (2.0 + 2.0 * MU)).astype(float)
MASSES = np.array([RNG.gamma(2.0, m / 2.0, k).sum() for m, k in zip(MU, RNG.poisson(1.5, N), strict=True)])

#: Family and link as the page names them, with what is fitted.
ROWS: dict[str, tuple[Any, Any, np.ndarray]] = {
    "gaussian, identity": ("gaussian", None, SMALL + RNG.normal(size=N)),
    "gaussian, log": ("gaussian", "log", MU + 0.2 * RNG.normal(size=N)),
    "binomial, logit": ("binomial", None, BINARY),
    "binomial, probit": ("binomial", "probit", BINARY),
    "binomial, cloglog": ("binomial", "cloglog", BINARY),
    "binomial, loglog": ("binomial", "loglog", BINARY),
    "binomial, cauchit": ("binomial", "cauchit", BINARY),
    "poisson, log": ("poisson", None, poisson(2.0 * MU)),
    "poisson, sqrt": ("poisson", "sqrt", poisson(POSITIVE**2)),
    "poisson, identity": ("poisson", "identity", poisson(2.0 * POSITIVE)),
    "gamma, inverse": ("gamma", None, gamma(1.0 / POSITIVE)),
    "gamma, log": ("gamma", "log", gamma(MU)),
    "gamma, power(1/3)": ("gamma", links.power(1.0 / 3.0), gamma(POSITIVE**3)),
    "inverse_gaussian, inverse_square": ("inverse_gaussian", None, RNG.wald(POSITIVE**-0.5, 6.0)),
    "inverse_gaussian, log": ("inverse_gaussian", "log", RNG.wald(MU, 6.0)),
    "negative_binomial(theta=2), log": (families.negative_binomial(2.0), None, COUNTS),
    "negative_binomial, theta estimated": (families.negative_binomial(), None, COUNTS),
    "tweedie(power=1.5), log": (families.tweedie(1.5), "log", MASSES),
    'quasi("mu^2"), log': (families.quasi("mu^2", "log"), None, gamma(MU)),
    "quasipoisson, log": ("quasipoisson", None, poisson(2.0 * MU)),
    "quasibinomial, logit": ("quasibinomial", None, RNG.beta(2.0, 3.0, N)),
}


@dataclass(frozen=True)
class Column:
    """An engine of the table: how arrays are made, and what is promised."""

    make: Callable[[np.ndarray], Any]
    tolerance: float
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def is_single(self) -> bool:
        return self.tolerance == SINGLE


def single(make: Callable[[np.ndarray], Any]) -> Column:
    return Column(lambda a: make(a.astype(np.float32)), SINGLE)


COLUMNS = {
    "fused": Column(np.asarray, PARITY, (("engine", "fused"),)),
    "torch": Column(torch.tensor, PARITY),
    "jax": Column(jnp.asarray, PARITY),
    "array_api_strict": Column(strict.asarray, PARITY),
    "fused float32": single(np.asarray),
    "torch float32": single(torch.tensor),
    "jax float32": single(jnp.asarray),
}


def fitted(row: str, make: Callable[[np.ndarray], Any], **options: Any) -> iso.Fit:
    family, link, y = ROWS[row]
    return iso.fit_glm(
        make(X), make(y), family=family, link=link, weights=make(WEIGHTS), offset=make(OFFSET), **options
    )


@functools.cache
def baseline(row: str) -> iso.Fit:
    return fitted(row, np.asarray, engine="numpy")


@functools.cache
def measured(row: str, column: str) -> iso.Fit:
    made = COLUMNS[column]
    return fitted(row, made.make, **dict(made.options))


def relative(found: Any, expected: Any) -> float:
    found, expected = np.asarray(iso.to_numpy(found), dtype=float), np.asarray(expected, dtype=float)
    return float(np.max(np.abs(found - expected) / np.abs(expected)))


def difference(fit: iso.Fit, base: iso.Fit) -> float:
    """The largest relative difference of coefficients, standard errors, log-likelihood, and theta if estimated."""
    parts = [relative(fit.coef, base.coef), relative(fit.stderr, base.stderr)]
    if not math.isnan(base.loglik):
        parts.append(relative(fit.loglik, base.loglik))
    if base.theta is not None:
        parts.append(relative(fit.theta, base.theta))
    return max(parts)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("row", ROWS)
def test_every_engine_gives_the_answer_of_the_baseline(row: str, column: str) -> None:
    base, fit, promised = baseline(row), measured(row, column), COLUMNS[column]
    assert base.status == fit.status == iso.Status.CONVERGED
    assert math.isnan(fit.loglik) == math.isnan(base.loglik)
    assert difference(fit, base) <= promised.tolerance
    if not promised.is_single:
        assert fit.n_iter == base.n_iter


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("row", ROWS)
def test_results_have_the_dtype_and_the_namespace_of_the_input(row: str, column: str) -> None:
    given, fit = COLUMNS[column].make(X), measured(row, column)
    results = {
        "coef": fit.coef, "stderr": fit.stderr, "vcov": fit.vcov, "fitted": fit.fitted,
        "linear_predictor": fit.linear_predictor, "residuals": fit.residuals("pearson"), "leverage": fit.leverage,
    }  # fmt: skip
    for name, result in results.items():
        assert type(result) is type(given), name
        assert result.dtype == given.dtype, name
        assert getattr(result, "device", None) == getattr(given, "device", None), name
    assert tuple(results["vcov"].shape) == (4, 4)
    assert tuple(results["fitted"].shape) == (N,)
    assert fit.evidence.dtype == ("float32" if COLUMNS[column].is_single else "float64")


def test_every_family_and_link_of_the_lists_has_a_row() -> None:
    """A family or link that is added joins the table, or this fails."""
    named = {row.split(",")[0].split("(")[0] for row in ROWS}
    assert named == {name for name in families.__all__ if name != "Family"}
    used = {measured(row, "fused").link.split("(")[0] for row in ROWS}
    assert used == {
        "identity", "log", "logit", "probit", "cloglog", "loglog", "cauchit", "inverse", "inverse_square", "sqrt",
        "power",
    }  # fmt: skip


def test_the_page_has_the_rows_and_columns_of_the_table() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["family, link", "iterations", *COLUMNS]
    assert [row[0] for row in cells[2:]] == list(ROWS)
    for row in cells[2:]:
        for cell, column in zip(row[2:], COLUMNS.values(), strict=True):
            assert float(cell.split()[0]) <= column.tolerance


def page() -> str:
    """The table as Markdown."""
    head = ["family, link", "iterations", *COLUMNS]
    lines = [
        "# Parity of the engines",
        "",
        'Each fit against the NumPy baseline (`engine="numpy"`) on the same data, with weights and an offset: the '
        "largest relative difference of coefficients, standard errors, log-likelihood and, where it is estimated, "
        f"theta. Promised are {PARITY:.0e} in float64, with equal numbers of iterations, and {SINGLE:.0e} in float32, "
        "whose iterations stand in brackets where they differ.",
        "",
        "| " + " | ".join(head) + " |",
        "| " + " | ".join(["---"] * len(head)) + " |",
    ]
    for row in ROWS:
        base, cells = baseline(row), []
        for column in COLUMNS:
            fit = measured(row, column)
            note = f" ({fit.n_iter})" if fit.n_iter != base.n_iter else ""
            cells.append(f"{difference(fit, base):.0e}{note}")
        lines.append(f"| {row} | {base.n_iter} | " + " | ".join(cells) + " |")
    versions = f"numpy {np.__version__}, torch {torch.__version__}, jax {jax.__version__}"
    text = f"\nMade by `python python/tests/test_engine_table.py --write-table` with {versions}, "
    return "\n".join(lines) + "\n" + text + f"array_api_strict {strict.__version__}.\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write-table"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
