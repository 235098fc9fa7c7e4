"""What every engine over a Python array library has."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Protocol, runtime_checkable

from isostat.errors import MissingDependencyError

__all__ = ["Engine", "require"]


@runtime_checkable
class Engine(Protocol):
    """An array library with a device and a dtype; engines are values: equal when these are."""

    @property
    def name(self) -> str:
        """Name, as evidence and ``engine=`` give it."""
        ...

    @property
    def dtype(self) -> str | None:
        """Name of the floating dtype; None keeps that of the input."""
        ...

    def asarray(self, x: Any) -> Any:
        """Make an array of this engine."""
        ...


def require(package: str, needed_for: str, command: str) -> Any:
    """Import an optional package, or raise :class:`~isostat.errors.MissingDependencyError`."""
    if importlib.util.find_spec(package) is None:
        error = MissingDependencyError(
            f"[missing-dependency] {needed_for} needs the package {package}, which is not installed; {command}"
        )
        error.remedy = command
        raise error
    return importlib.import_module(package)
