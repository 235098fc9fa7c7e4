"""What importing isostat does, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Packages that some users do not have and others do not want to wait for.
HEAVY = ("torch", "jax", "sympy", "matplotlib", "pandas", "polars", "pyarrow", "scipy")


def run(code: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own; None takes a variable out of the environment."""
    variables = {**os.environ, **{k: v for k, v in environment.items() if v is not None}}
    for name, value in environment.items():
        if value is None:
            variables.pop(name, None)
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


def test_nothing_heavy_is_imported() -> None:
    result = run(f"import sys, isostat; print([m for m in {HEAVY!r} if m in sys.modules])")
    assert (result.stdout.strip(), result.stderr) == ("[]", "")


def test_a_fit_of_numpy_arrays_imports_nothing_heavy() -> None:
    code = (
        "import sys, numpy as np, isostat as iso\n"
        "fit = iso.fit_glm(np.arange(6.0)[:, None], np.array([1.0, 2, 2, 4, 5, 9]), family='poisson')\n"
        "fit.summary(), fit.predict(), fit.residuals(), fit.confint(), fit.evidence\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    result = run(code)
    assert (result.stdout.strip(), result.stderr) == ("[]", "")


SHOW = "import os; print(repr(os.environ.get('SCIPY_ARRAY_API')))"


def test_scipy_is_told_to_take_foreign_arrays() -> None:
    result = run(f"import isostat; {SHOW}", SCIPY_ARRAY_API=None)
    assert (result.stdout.strip(), result.stderr) == ("'1'", "")


def test_a_scipy_that_is_imported_already_is_left_alone() -> None:
    result = run(f"import scipy, isostat; {SHOW}", SCIPY_ARRAY_API=None)
    assert (result.stdout.strip(), result.stderr) == ("None", "")


def test_a_value_of_the_users_is_kept() -> None:
    result = run(f"import isostat; {SHOW}", SCIPY_ARRAY_API="1")
    assert (result.stdout.strip(), result.stderr) == ("'1'", "")


@pytest.mark.parametrize("value", ["0", ""])
def test_a_value_that_keeps_foreign_arrays_out_is_kept_with_a_warning(value: str) -> None:
    result = run(f"import isostat; {SHOW}", SCIPY_ARRAY_API=value)
    assert result.stdout.strip() == repr(value)
    assert (
        f'UserWarning: SCIPY_ARRAY_API is "{value}": SciPy functions will refuse foreign arrays; '
        'set it to "1" before SciPy is imported'
    ) in result.stderr
