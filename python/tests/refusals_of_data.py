"""Refusals of data: engines, values, weights, shapes and dtypes; and what all refusals are made with."""

# Messages stand as they are printed, on one line.
# ruff: noqa: E501

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import isostat as iso
import jax
import numpy as np
import torch
from isostat import errors, families

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
OF_DATA: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
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
}
