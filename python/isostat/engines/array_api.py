"""The engine over any namespace of the array-API standard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isostat.engines.dtypes import floating_name
from isostat.errors import DomainError

__all__ = ["ArrayApiEngine"]


@dataclass(frozen=True)
class ArrayApiEngine:
    """Arrays of any namespace that follows the array-API standard.

    Parameters
    ----------
    namespace : module or str
        The namespace, or the name of the module that is one: ``"array_api_strict"``.
    dtype : str or dtype, optional
        Floating dtype; None keeps that of the input.
    """

    namespace: Any
    dtype: str | None = None

    def __post_init__(self) -> None:
        namespace = self.namespace
        if isinstance(namespace, str):
            from isostat.engines.base import require

            namespace = require(namespace, "ArrayApiEngine", f"pip install {namespace.replace('_', '-')}")
        if not (hasattr(namespace, "asarray") and hasattr(namespace, "matmul")):
            raise DomainError(
                f"[domain] ArrayApiEngine: `namespace` must be a namespace of the array-API standard, got {namespace!r}"
            )
        object.__setattr__(self, "namespace", namespace)
        if self.dtype is not None:
            object.__setattr__(self, "dtype", floating_name(self.dtype))

    @property
    def name(self) -> str:
        """Name of the namespace."""
        return str(getattr(self.namespace, "__name__", "array_api"))

    def asarray(self, x: Any) -> Any:
        """Make an array; floating ones take the engine's dtype if it has one."""
        xp = self.namespace
        array = xp.asarray(x)
        if self.dtype is not None and xp.isdtype(array.dtype, "real floating"):
            array = xp.astype(array, getattr(xp, self.dtype))
        return array
