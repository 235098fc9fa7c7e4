"""The engine over CuPy arrays."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from isostat.engines.base import require
from isostat.engines.dtypes import normalize_numpy_dtype

__all__ = ["CupyEngine"]


@dataclass(frozen=True)
class CupyEngine:
    """CuPy arrays on the current CUDA device.

    Parameters
    ----------
    dtype : str or dtype, optional
        Floating dtype; None keeps that of the input.
    """

    dtype: str | None = None

    def __post_init__(self) -> None:
        require("cupy", "CupyEngine", "pip install cupy-cuda12x")
        dtype = normalize_numpy_dtype(self.dtype)
        object.__setattr__(self, "dtype", None if dtype is None else dtype.name)

    @property
    def name(self) -> str:
        """``cupy``."""
        return "cupy"

    def asarray(self, x: Any) -> Any:
        """Make a CuPy array; floating ones take the engine's dtype if it has one."""
        cupy = importlib.import_module("cupy")
        array = cupy.asarray(x)
        if self.dtype is not None and array.dtype.kind == "f":
            array = array.astype(self.dtype, copy=False)
        return array
