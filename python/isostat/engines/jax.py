"""The engine over JAX arrays."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from isostat.engines.base import require
from isostat.engines.dtypes import floating_name
from isostat.errors import DomainError, DtypeError

__all__ = ["JaxEngine"]


@dataclass(frozen=True)
class JaxEngine:
    """JAX arrays; ``jit``, ``grad`` and ``vmap`` pass through.

    Parameters
    ----------
    device : str, optional
        Platform and index, ``"cpu:0"``; None leaves the placement to JAX.
    dtype : str or dtype, optional
        Floating dtype; None is float64 where ``jax_enable_x64`` is on, else float32.
    compile : bool, default False
        Whether a whole fit is compiled; pays off when it is repeated on data of the same shape.
    """

    device: str | None = None
    dtype: str | None = None
    compile: bool = False

    def __post_init__(self) -> None:
        jax = require("jax", "JaxEngine", "pip install jax")
        wide = bool(jax.config.jax_enable_x64)
        dtype = ("float64" if wide else "float32") if self.dtype is None else floating_name(self.dtype)
        if dtype == "float64" and not wide:
            raise DtypeError(
                "[dtype] `dtype` must have dtype float32 without x64, got float64; "
                'call jax.config.update("jax_enable_x64", True) first'
            )
        object.__setattr__(self, "dtype", dtype)
        if self.device is not None:
            place = self._find(str(self.device))
            object.__setattr__(self, "device", f"{place.platform}:{place.id}")

    @property
    def name(self) -> str:
        """``jax``."""
        return "jax"

    def _find(self, device: str) -> Any:
        jax = importlib.import_module("jax")
        platform, _, index = device.partition(":")
        try:
            devices = jax.devices(platform)
        except RuntimeError as error:
            known = ", ".join(sorted({d.platform for d in jax.devices()}))
            raise DomainError(
                f"[domain] JaxEngine: `device` must be of a platform that JAX has ({known}), got {device!r}"
            ) from error
        if index and not (index.isdigit() and int(index) < len(devices)):
            raise DomainError(
                f"[domain] JaxEngine: `device` must be one of {len(devices)} on {platform}, got {device!r}"
            )
        return devices[int(index or 0)]

    def asarray(self, x: Any) -> Any:
        """Make a JAX array; floating values take the engine's dtype, others keep theirs."""
        jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")
        array = jnp.asarray(x)
        if jnp.issubdtype(array.dtype, jnp.floating):
            array = array.astype(self.dtype)
        return array if self.device is None else jax.device_put(array, self._find(self.device))
