"""What is refused, word for word: argument, place, rule, value, and what to do."""
# Messages stand as they are printed, on one line.
# ruff: noqa: E501

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import isostat as iso
import numpy as np
import pytest
from isostat import errors, families, links

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")
strict = pytest.importorskip("array_api_strict")
jax.config.update("jax_enable_x64", True)
# The arrays are small: threads would wait for each other longer than they work.
torch.set_num_threads(1)
jnp = jax.numpy

X = np.sqrt(np.arange(12.0).reshape(6, 2))
Y = np.array([1.0, 0.0, 2.0, 3.0, 1.0, 4.0])
ONES = np.ones(6)
MAKERS: dict[str, Callable[[np.ndarray], Any]] = {
    "numpy": np.asarray,
    "torch": torch.tensor,
    "jax": jnp.asarray,
    "strict": strict.asarray,
}
FILL = "drop such rows, or fill them before the fit"
REPLACE = "leave such rows out, or replace the infinite values"


def changed(array: np.ndarray, place: Any, value: float) -> np.ndarray:
    """A copy with one element changed."""
    array = array.astype(float)
    array[place] = value
    return array


def fit(X: Any = X, y: Any = Y, family: Any = "poisson", **options: Any) -> iso.Fit:
    return iso.fit_glm(X, y, family=family, **options)


def table(formula: str, **options: Any) -> iso.Fit:
    data = {"y": Y, "age": X[:, 0], "g": list("aabbcc"), "holes": changed(X[:, 0], 3, math.nan)}
    return iso.glm(formula, data, family="poisson", **options)


def tensor(array: np.ndarray, dtype: Any = None) -> Any:
    return torch.tensor(array, dtype=dtype)


NO_MIX = "convert one of them, e.g. with isostat.to_numpy"
FACTORS = "use isostat.glm with a formula for factors, or convert it"
LATER = "it is not available in this version"

#: name: (kind, message, call)
REFUSALS: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    # -- engines ------------------------------------------------------------------------------------------
    "torch X, NumPy y": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is torch, `y` is numpy; {NO_MIX}",
        lambda: fit(tensor(X), Y),
    ),
    "NumPy X, torch weights": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is numpy, `weights` is torch; {NO_MIX}",
        lambda: fit(weights=tensor(ONES)),
    ),
    "torch float64 and float32": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is torch float64, `y` is torch float32; {NO_MIX}",
        lambda: fit(tensor(X), tensor(Y, torch.float32)),
    ),
    "torch float32 and float64": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is torch float32, `y` is torch float64; {NO_MIX}",
        lambda: fit(tensor(X, torch.float32), tensor(Y)),
    ),
    "NumPy float64 and float32": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is numpy float64, `offset` is numpy float32; {NO_MIX}",
        lambda: fit(offset=ONES.astype(np.float32)),
    ),
    "two devices": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is torch on cpu, `y` is torch on meta; {NO_MIX}",
        lambda: fit(tensor(X), tensor(Y).to("meta")),
    ),
    "predict with another engine": (
        errors.MixedEngineError,
        f"[mixed-engine] mixed engines: `X` is numpy, `the X of the fit` is torch; {NO_MIX}",
        lambda: fit(tensor(X), tensor(Y)).predict(X),
    ),
    # -- values -------------------------------------------------------------------------------------------
    **{
        f"NaN in X, {library}": (
            errors.MissingValueError,
            f'[missing-value] `X` holds NaN in row 3 of column "x1"; {FILL}',
            lambda make=make: fit(make(changed(X, (3, 1), math.nan)), make(Y)),
        )
        for library, make in MAKERS.items()
    },
    "NaN in a named column": (
        errors.MissingValueError,
        f'[missing-value] `X` holds NaN in row 3 of column "age"; {FILL}',
        lambda: fit(changed(X, (3, 0), math.nan), coef_names=["age", "size"]),
    ),
    "infinity in X": (
        errors.MissingValueError,
        f'[missing-value] `X` holds -inf in row 0 of column "x0"; {REPLACE}',
        lambda: fit(changed(X, (0, 0), -math.inf)),
    ),
    **{
        f"NaN in y, {library}": (
            errors.MissingValueError,
            f"[missing-value] `y` holds NaN in row 2; {FILL}",
            lambda make=make: fit(make(X), make(changed(Y, 2, math.nan))),
        )
        for library, make in MAKERS.items()
    },
    **{
        f"infinity in offset, {library}": (
            errors.MissingValueError,
            f"[missing-value] `offset` holds inf in row 4; {REPLACE}",
            lambda make=make: fit(make(X), make(Y), offset=make(changed(ONES, 4, math.inf))),
        )
        for library, make in MAKERS.items()
    },
    "None in a list": (
        errors.MissingValueError,
        f"[missing-value] `X` holds None in row 1; {FILL}",
        lambda: fit([[1.0, 2.0], [3.0, None], [4.0, 5.0]], [1, 2, 3]),
    ),
    **{
        f"negative counts, {library}": (
            errors.DomainError,
            "[domain] poisson: `y` must be 0 or more and finite, got -1 in row 1",
            lambda make=make: fit(make(X), make(changed(Y, 1, -1.0))),
        )
        for library, make in MAKERS.items()
    },
    "binomial above 1": (
        errors.DomainError,
        "[domain] binomial: `y` must lie between 0 and 1, got 2 in row 2",
        lambda: fit(family="binomial"),
    ),
    "gamma at 0": (
        errors.DomainError,
        "[domain] gamma: `y` must be positive and finite, got 0 in row 1",
        lambda: fit(family="gamma"),
    ),
    "inverse Gaussian below 0": (
        errors.DomainError,
        "[domain] inverse_gaussian: `y` must be positive and finite, got -4 in row 0",
        lambda: fit(y=Y - 5.0, family="inverse_gaussian"),
    ),
    "Tweedie below 0": (
        errors.DomainError,
        "[domain] tweedie: `y` must be 0 or more and finite, got -4 in row 0",
        lambda: fit(y=Y - 5.0, family=families.tweedie(1.5)),
    ),
    "exposure of 0": (
        errors.DomainError,
        "[domain] fit_glm: `exposure` must be positive and finite, got 0.0 in row 2",
        lambda: fit(exposure=changed(ONES, 2, 0.0)),
    ),
    # -- weights ------------------------------------------------------------------------------------------
    **{
        f"weights of the wrong length, {library}": (
            errors.ShapeError,
            "[shape] fit_glm: `weights` must have length 6, one value for each row of `X`, got length 5",
            lambda make=make: fit(make(X), make(Y), weights=make(np.ones(5))),
        )
        for library, make in MAKERS.items()
    },
    "weights of a matrix": (
        errors.ShapeError,
        "[shape] fit_glm: `weights` must have one dimension, got shape [6, 3]",
        lambda: fit(weights=np.ones((6, 3))),
    ),
    **{
        f"negative weights, {library}": (
            errors.DomainError,
            "[domain] fit_glm: `weights` must be 0 or more and finite, got -2 in row 3",
            lambda make=make: fit(make(X), make(Y), weights=make(changed(ONES, 3, -2.0))),
        )
        for library, make in MAKERS.items()
    },
    "NaN in weights": (
        errors.MissingValueError,
        f"[missing-value] `weights` holds NaN in row 3; {FILL}",
        lambda: fit(weights=changed(ONES, 3, math.nan)),
    ),
    **{
        f"weights of 0, {library}": (
            errors.DegenerateWeightsError,
            "[degenerate-weights] fit_glm: every value of `weights` is 0, so no row is left to fit; "
            "give at least one row a positive weight",
            lambda make=make: fit(make(X), make(Y), weights=make(np.zeros(6))),
        )
        for library, make in MAKERS.items()
    },
    # -- shapes -------------------------------------------------------------------------------------------
    **{
        f"zero rows, {library}": (
            errors.ShapeError,
            "[shape] fit_glm: `X` must have at least one row, got 0 rows",
            lambda make=make: fit(make(X[:0]), make(Y[:0])),
        )
        for library, make in MAKERS.items()
    },
    "zero columns": (
        errors.ShapeError,
        "[shape] fit_glm: `X` must have at least one column, got 0 columns",
        lambda: fit(X[:, :0], intercept=False),
    ),
    **{
        f"X of one dimension, {library}": (
            errors.ShapeError,
            "[shape] fit_glm: `X` must have two dimensions (rows, columns), got shape (6,); use X[:, None] for one column",
            lambda make=make: fit(make(X[:, 0].copy()), make(Y)),
        )
        for library, make in MAKERS.items()
    },
    "X of three dimensions": (
        errors.ShapeError,
        "[shape] fit_glm: `X` must have two dimensions (rows, columns), got shape (1, 6, 2)",
        lambda: fit(X[None]),
    ),
    "y too short": (
        errors.ShapeError,
        "[shape] fit_glm: `y` must have length 6, one value for each row of `X`, got length 4",
        lambda: fit(y=Y[:4]),
    ),
    "offset too short": (
        errors.ShapeError,
        "[shape] fit_glm: `offset` must have length 6, one value for each row of `X`, got length 4",
        lambda: fit(offset=ONES[:4]),
    ),
    "ragged list": (
        errors.ShapeError,
        "[shape] fit_glm: `X` must have rows of one length (length 2 as row 0), got length 1 in row 1",
        lambda: fit([[1.0, 2.0], [3.0], [4.0, 5.0]], [1, 2, 3]),
    ),
    "names of other columns": (
        errors.ShapeError,
        "[shape] fit_glm: `coef_names` must have length 2, one name for each column of `X`, got length 1",
        lambda: fit(coef_names=["age"]),
    ),
    # -- dtypes -------------------------------------------------------------------------------------------
    "objects": (
        errors.DtypeError,
        f"[dtype] `X` must have dtype float, integer or bool, got object; {FACTORS}",
        lambda: fit(X.astype(object)),
    ),
    "objects in y": (
        errors.DtypeError,
        f"[dtype] `y` must have dtype float, integer or bool, got object; {FACTORS}",
        lambda: fit(y=Y.astype(object)),
    ),
    "text": (
        errors.DtypeError,
        f"[dtype] `X` must have dtype float, integer or bool, got <U32; {FACTORS}",
        lambda: fit(X.astype(str)),
    ),
    "complex": (
        errors.DtypeError,
        f"[dtype] `X` must have dtype float, integer or bool, got complex128; {FACTORS}",
        lambda: fit(X.astype(complex)),
    ),
    "complex tensors": (
        errors.DtypeError,
        "[dtype] `X` must have dtype float, integer or bool, got complex128; convert `X` to a real floating dtype first",
        lambda: fit(tensor(X.astype(complex)), tensor(Y)),
    ),
    "masked": (
        errors.DtypeError,
        "[dtype] `X` must have dtype float, integer or bool without a mask, got a masked array; "
        "drop or fill the masked values first, e.g. with .filled(nan)",
        lambda: fit(np.ma.masked_array(X)),
    ),
    **{
        f"torch {name}": (
            errors.DtypeError,
            f"[dtype] `X` must have dtype float32 or float64 where linear systems are solved, got {name}; "
            "convert the arrays to float32 first",
            lambda name=name: fit(tensor(X, getattr(torch, name)), tensor(Y, getattr(torch, name))),
        )
        for name in ("bfloat16", "float16")
    },
    "NumPy float16": (
        errors.DtypeError,
        "[dtype] `X` must have dtype float32 or float64 where linear systems are solved, got float16; "
        "convert the arrays to float32 first",
        lambda: fit(X.astype(np.float16), Y.astype(np.float16)),
    ),
    # -- names --------------------------------------------------------------------------------------------
    "unknown family": (
        errors.UnsupportedError,
        '[unsupported] family "poison" is not supported: there is no family of that name for a GLM; use one of '
        "gaussian, binomial, poisson, gamma, inverse_gaussian, negative_binomial, tweedie, quasipoisson, quasibinomial, "
        "quasi",
        lambda: fit(family="poison"),
    ),
    "a family of no kind": (
        errors.DtypeError,
        "[dtype] `family` must have dtype a name or an object of isostat.families, got int; "
        'use a name such as "poisson", or isostat.families',
        lambda: fit(family=3),
    ),
    "unknown link": (
        errors.UnsupportedError,
        '[unsupported] link "logs" is not supported: there is no link of that name; use one of identity, log, logit, '
        "probit, cloglog, loglog, cauchit, inverse, inverse_square, sqrt, power(p)",
        lambda: fit(link="logs"),
    ),
    "unknown engine": (
        errors.DomainError,
        '[domain] fit_glm: `engine` must be an engine or one of "fused", "numpy", "torch", "jax", "cupy", got "abacus"',
        lambda: fit(engine="abacus"),
    ),
    "an engine of no kind": (
        errors.DomainError,
        '[domain] fit_glm: `engine` must be an engine or one of "fused", "numpy", "torch", "jax", "cupy", got 3',
        lambda: fit(engine=3),
    ),
    "a table on another engine": (
        errors.UnsupportedError,
        "[unsupported] glm with engine 'torch' is not supported: a table's columns belong to the host; "
        "use isostat.fit_glm with arrays of that engine",
        lambda: table("y ~ age", engine="torch"),
    ),
    "unknown backend": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with backend='dask' is not supported: {LATER}; use backend=\"local\"",
        lambda: fit(backend="dask"),
    ),
    "unknown precision": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with precision='float16' is not supported: {LATER}; "
        "give arrays of the dtype that you want",
        lambda: fit(precision="float16"),
    ),
    "unknown method": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with method='firth' is not supported: {LATER}; use method=\"irls\"",
        lambda: fit(method="firth"),
    ),
    "a penalty": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with l2=0.5 is not supported: {LATER}; fit without a penalty",
        lambda: fit(l2=0.5),
    ),
    "unknown kind of weights": (
        errors.DomainError,
        '[domain] glm: `weights_kind` must be precision, frequency or sampling, got "counts"',
        lambda: fit(weights_kind="counts"),
    ),
    "unknown residuals": (
        errors.DomainError,
        '[domain] residuals: `kind` must be deviance, pearson, response, working or quantile, got "raw"',
        lambda: fit().residuals("raw"),
    ),
    "unknown covariance": (
        errors.DomainError,
        '[domain] robust: `kind` must be HC0, HC1, HC2 or HC3, got "HC9"',
        lambda: fit().robust("HC9"),
    ),
    "profile intervals": (
        errors.UnsupportedError,
        f"[unsupported] confint with method='profile' is not supported: {LATER}; use method=\"wald\"",
        lambda: fit().confint(method="profile"),
    ),
    # -- pairs of family and link -------------------------------------------------------------------------
    **{
        f"{family} with {link}": (
            errors.UnsupportedError,
            f'[unsupported] family "{family}" with link "{link}" is not supported: the link reaches means between 0 and 1 '
            'only, the family has positive means; the nearest link is "log"',
            lambda family=family, link=link: fit(y=Y + 1.0, family=family, link=link),
        )
        for family in ("poisson", "gamma", "inverse_gaussian", "negative_binomial", "quasipoisson")
        for link in ("logit", "probit", "cloglog", "loglog", "cauchit")
    },
    # -- parameters ---------------------------------------------------------------------------------------
    **{
        f"theta of {theta}": (
            errors.DomainError,
            f"[domain] fit_glm: `theta` must be positive and finite, got {shown}",
            lambda theta=theta: fit(family=families.negative_binomial(theta)),
        )
        for theta, shown in ((0.0, "0"), (-1.0, "-1"), (math.nan, "NaN"), (math.inf, "inf"))
    },
    **{
        f"power of {power}": (
            errors.DomainError,
            f"[domain] fit_glm: `power` must lie strictly between 1 and 2, got {shown}",
            lambda power=power: fit(family=families.tweedie(power)),
        )
        for power, shown in ((1.0, "1"), (2.0, "2"), (2.5, "2.5"), (0.0, "0"), (math.nan, "NaN"))
    },
    "unknown variance": (
        errors.DomainError,
        '[domain] quasi: `variance` must be constant, mu, mu^2, mu^3 or mu(1-mu), got "mu^4"',
        lambda: fit(family=families.quasi("mu^4")),
    ),
    "power link of NaN": (
        errors.DomainError,
        "[domain] link power: `power` must be finite, got NaN",
        lambda: fit(y=Y + 1.0, family="gamma", link=links.power(math.nan)),
    ),
    # -- options ------------------------------------------------------------------------------------------
    "start of the wrong length": (
        errors.ShapeError,
        "[shape] fit_glm: `start` must have length 3, one value for each coefficient, got length 2",
        lambda: fit(start=[1.0, 2.0]),
    ),
    "start of two dimensions": (
        errors.ShapeError,
        "[shape] fit_glm: `start` must have one dimension, got shape (3, 1)",
        lambda: fit(start=np.ones((3, 1))),
    ),
    "start of NaN": (
        errors.DomainError,
        "[domain] fit_glm: `start` must be finite, got nan at position 2",
        lambda: fit(start=[1.0, 2.0, math.nan]),
    ),
    "start of text": (
        errors.DtypeError,
        "[dtype] `start` must have dtype float, got <U4; give one number per coefficient",
        lambda: fit(start="zero"),
    ),
    **{
        f"tol of {tol}": (
            errors.DomainError,
            f"[domain] fit_glm: `tol` must be positive and finite, got {shown}",
            lambda tol=tol: fit(tol=tol),
        )
        for tol, shown in ((0.0, "0"), (-1.0, "-1"), (math.nan, "NaN"), (math.inf, "inf"))
    },
    "tol of text": (
        errors.DtypeError,
        "[dtype] `tol` must have dtype float, got str; give a number",
        lambda: fit(tol="small"),
    ),
    **{
        f"max_iter of {max_iter}": (
            errors.DomainError,
            f"[domain] fit_glm: `max_iter` must be at least 1, got {max_iter}",
            lambda max_iter=max_iter: fit(max_iter=max_iter),
        )
        for max_iter in (0, -1)
    },
    "max_iter of a fraction": (
        errors.DtypeError,
        "[dtype] `max_iter` must have dtype integer, got float; give a whole number",
        lambda: fit(max_iter=1.5),
    ),
    "no workers": (
        errors.DomainError,
        "[domain] fit_glm: `num_workers` must be at least 1, got 0",
        lambda: fit(num_workers=0),
    ),
    "level of per cents": (
        errors.DomainError,
        "[domain] interval: `level` must lie strictly between 0 and 1, got 95",
        lambda: fit().confint(level=95),
    ),
    # -- tables -------------------------------------------------------------------------------------------
    "unknown column": (
        errors.UnknownColumnError,
        '[unknown-column] there is no column "agee"; the data have "y", "age", "g", "holes"; did you mean "age"?',
        lambda: table("y ~ agee"),
    ),
    "unknown column of weights": (
        errors.UnknownColumnError,
        '[unknown-column] there is no column "wei"; the data have "y", "age", "g", "holes"; '
        "check the spelling against the columns of the data",
        lambda: table("y ~ age", weights="wei"),
    ),
    "NaN in a column": (
        errors.MissingValueError,
        '[missing-value] `holes` holds NaN in row 3 of column "holes"; drop such rows with na="drop", or fill them before '
        "the fit",
        lambda: table("y ~ holes"),
    ),
    "unseen level": (
        errors.UnseenLevelError,
        '[unseen-level] column "g" holds level "d" in row 1, which the fit has not seen (it knows "a", "b", "c"); '
        'pass new_levels="na" or new_levels="baseline" to predict, or refit with this level',
        lambda: table("y ~ g").predict({"g": ["a", "d"]}),
    ),
    "a formula that ends early": (
        errors.FormulaError,
        '[formula] `)` is needed, but the formula ends here at position 8 of "y ~ (age"',
        lambda: table("y ~ (age"),
    ),
    "no table": (
        errors.DtypeError,
        "[dtype] `data` must have dtype of a table (pandas, polars, pyarrow, a dict of columns, an Arrow stream or a path), "
        "got ndarray; use isostat.fit_glm for arrays",
        lambda: iso.glm("y ~ x", X),
    ),
    "unknown na": (
        errors.DomainError,
        '[domain] glm: `na` must be "raise" or "drop", got "omit"',
        lambda: table("y ~ age", na="omit"),
    ),
}


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
