"""The host engines over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isostat.engines.dtypes import normalize_numpy_dtype

__all__ = ["FUSED_NUMPY_ENGINE", "NUMPY_ENGINE", "NumpyEngine"]


@dataclass(frozen=True)
class NumpyEngine:
    """NumPy arrays, without copies.

    Parameters
    ----------
    dtype : str or dtype, optional
        Floating dtype; None keeps that of the input.
    fused : bool, default False
        Whether models run their fused kernels (blocks in the cache, SIMD, all threads). Without, they run
        operation by operation: the baseline of every parity check.
    """

    dtype: str | None = None
    fused: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        dtype = normalize_numpy_dtype(self.dtype)
        object.__setattr__(self, "dtype", None if dtype is None else dtype.name)

    @property
    def name(self) -> str:
        """``numpy``, or ``fused`` with fused kernels."""
        return "fused" if self.fused else "numpy"

    @property
    def device(self) -> str:
        """Always ``cpu``."""
        return "cpu"

    def asarray(self, x: Any) -> np.ndarray[Any, Any]:
        """Make a NumPy array; floating ones take the engine's dtype if it has one."""
        array = np.asarray(x)
        if self.dtype is not None and array.dtype.kind == "f":
            array = array.astype(self.dtype, copy=False)
        return array


#: The baseline: operation by operation.
NUMPY_ENGINE = NumpyEngine()
#: Fused kernels: what NumPy input gets by default wherever the model has a fused pass.
FUSED_NUMPY_ENGINE = NumpyEngine(fused=True)
