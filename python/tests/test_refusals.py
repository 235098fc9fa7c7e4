"""What is refused, word for word: argument, place, rule, value, and what to do."""

from __future__ import annotations

import importlib.util
from typing import Any

import isostat as iso
import numpy as np
import pytest
from isostat import errors
from refusals_of_data import MAKERS, OF_DATA, X, Y, fit, strict, tensor, torch
from refusals_of_options import OF_OPTIONS

REFUSALS = {**OF_DATA, **OF_OPTIONS}


@pytest.mark.filterwarnings("ignore::isostat.ConvergenceWarning")
@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_says_what_where_and_what_to_do(name: str) -> None:
    kind, message, call = REFUSALS[name]
    with pytest.raises(errors.IsostatError) as caught:
        call()
    assert str(caught.value) == message
    assert type(caught.value) is kind
    assert isinstance(caught.value, (ValueError, TypeError))


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(errors.MissingDependencyError) as caught:
        fit(engine="torch")
    assert str(caught.value) == (
        "[missing-dependency] TorchEngine needs the package torch, which is not installed; pip install torch"
    )
    assert caught.value.remedy == "pip install torch"


def test_a_fit_without_its_certificate_warns_once() -> None:
    separated = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    with pytest.warns(iso.ConvergenceWarning) as caught:
        result = fit(y=separated, family="binomial")
    assert result.status == iso.Status.SEPARATION
    assert len(caught) == 1


def test_every_kind_is_raised() -> None:
    """Each exception of ``isostat.errors``; `InternalError` is a defect, which no input may reach."""
    raised = {kind.__name__ for kind, _, _ in REFUSALS.values()} | {"MissingDependencyError", "ConvergenceWarning"}
    assert raised | {"IsostatError", "InternalError"} == set(errors.__all__)


# ------------------------------------------------------------------------------ exceptions of the caller


class CallerError(Exception):
    """An exception that isostat does not know."""


def test_an_exception_inside_an_operation_surfaces_unchanged() -> None:
    from torch.overrides import TorchFunctionMode

    error = CallerError("the device went away")

    class Failing(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.exp:
                raise error
            return func(*args, **(kwargs or {}))

    with pytest.raises(CallerError) as caught, Failing():
        fit(tensor(X), tensor(Y))
    assert caught.value is error
    assert caught.value.__notes__ == ["in isostat operation `exp`"]


def test_an_exception_of_the_namespace_surfaces_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: Any, other: Any) -> Any:
        raise CallerError("no products today")

    monkeypatch.setattr(type(strict.ones(1)), "__matmul__", failing)
    with pytest.raises(CallerError, match=r"^no products today$"):
        fit(strict.asarray(X), strict.asarray(Y))


# ------------------------------------------------------------------------------------ what is not refused


@pytest.mark.parametrize("library", MAKERS)
def test_counts_beside_a_floating_design_are_cast(library: str) -> None:
    make = MAKERS[library]
    result = fit(make(X), make(Y.astype(np.int64)))
    np.testing.assert_array_equal(iso.to_numpy(result.coef), iso.to_numpy(fit(make(X), make(Y)).coef))


@pytest.mark.parametrize("library", MAKERS)
def test_an_integer_design_becomes_float64(library: str) -> None:
    make = MAKERS[library]
    whole = np.array([[0, 1], [1, 1], [2, 0], [3, 1], [4, 0], [5, 1]])
    result = fit(make(whole), make(Y.astype(np.int64)))
    expected = fit(make(whole.astype(float)), make(Y))
    assert result.coef.dtype == expected.coef.dtype
    np.testing.assert_array_equal(iso.to_numpy(result.coef), iso.to_numpy(expected.coef))
    assert result.evidence.dtype == "float64"


def test_an_engine_by_name_takes_numpy_arrays_there() -> None:
    result = fit(engine="torch")
    assert isinstance(result.coef, torch.Tensor)
    np.testing.assert_allclose(result.coef.numpy(), fit().coef, rtol=1e-10)
