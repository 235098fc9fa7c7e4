"""Names of floating dtypes, whatever library they come from."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from isostat.errors import DtypeError

__all__ = ["floating_name", "normalize_numpy_dtype", "normalize_torch_dtype", "precision_name"]

_ALIASES = {
    "half": "float16",
    "fp16": "float16",
    "16": "float16",
    "single": "float32",
    "fp32": "float32",
    "32": "float32",
    "double": "float64",
    "float": "float64",
    "fp64": "float64",
    "64": "float64",
    "bf16": "bfloat16",
}
_FLOATING = ("float16", "bfloat16", "float32", "float64")


def floating_name(dtype: Any) -> str:
    """Return the name of a floating dtype: ``float64`` for ``float``, ``np.float64`` or ``torch.float64``."""
    if dtype is float:
        return "float64"
    if isinstance(dtype, type) and issubclass(dtype, np.generic):
        name = np.dtype(dtype).name
    elif isinstance(dtype, str):
        name = dtype
    else:
        name = str(getattr(dtype, "name", None) or dtype)
    name = name.rsplit(".", 1)[-1].lower()
    name = _ALIASES.get(name, name)
    if name not in _FLOATING:
        raise DtypeError(f'[dtype] `dtype` must have dtype one of {", ".join(_FLOATING)}, got {dtype!r}; use "float64"')
    return name


def normalize_numpy_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the NumPy dtype of a precision; None stays None.

    Raises
    ------
    DtypeError
        For what is not floating, and for bfloat16, which NumPy does not have.
    """
    if dtype is None:
        return None
    name = floating_name(dtype)
    if name == "bfloat16":
        raise DtypeError('[dtype] `dtype` must have dtype of NumPy, got bfloat16; use "float32"')
    return np.dtype(name)


def normalize_torch_dtype(dtype: Any) -> Any:
    """Return the torch dtype of a precision; None stays None."""
    if dtype is None:
        return None
    name = floating_name(dtype)
    torch = sys.modules.get("torch")
    if torch is None:
        from isostat.engines.base import require

        torch = require("torch", "normalize_torch_dtype", "pip install torch")
    return getattr(torch, name)


def precision_name(x: Any) -> str:
    """Return the name of the floating dtype of an engine, an array or a dtype; ``""`` where none is set."""
    dtype = getattr(x, "dtype", x)
    return "" if dtype is None else floating_name(dtype)
