"""Options that every entrance of regression shares: checked here, and brought to the core's form."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from isostat import _core
from isostat.engines.base import Engine
from isostat.errors import DomainError, DtypeError, ShapeError, UnsupportedError

__all__ = ["engine_named", "shared_options"]

_HOST_NAMES = {"fused": "fused", "numpy": "numpy"}


def shared_options(
    engine: Engine | str | None,
    backend: str | None,
    num_workers: int | None,
    precision: str | None,
    method: str,
    l1: float,
    l2: float,
    weights_kind: str,
    max_iter: int,
    tol: float,
    start: Any,
    owner: str,
) -> dict[str, Any]:
    """Check the options, and bring them to the core's form; ``host`` is None where another engine is asked for.

    Raises
    ------
    UnsupportedError, DomainError, DtypeError, ShapeError
    """
    _only(owner, "backend", backend, (None, "local"), 'use backend="local"')
    _only(owner, "precision", precision, (None, "auto", "float64"), "give arrays of the dtype that you want")
    _only(owner, "method", method, ("auto", "irls"), 'use method="irls"')
    _only(owner, "l1", l1, (0, 0.0), "fit without a penalty")
    _only(owner, "l2", l2, (0, 0.0), "fit without a penalty")
    name = engine if isinstance(engine, str) else getattr(engine, "name", None)
    return {
        "weights_kind": weights_kind,
        "max_iter": _count(owner, "max_iter", max_iter),
        "tol": _number(owner, "tol", tol),
        "start": None if start is None else _start(owner, start),
        "host": "fused" if engine is None else _HOST_NAMES.get(str(name)),
        "threads": None if num_workers is None else _count(owner, "num_workers", num_workers),
    }


def _only(owner: str, name: str, value: Any, allowed: tuple[Any, ...], nearest: str) -> None:
    if value not in allowed:
        raise UnsupportedError(
            f"[unsupported] {owner} with {name}={value!r} is not supported: it is not available in this version; "
            f"{nearest}"
        )


def _count(owner: str, name: str, value: Any) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise DtypeError(f"[dtype] `{name}` must have dtype integer, got {type(value).__name__}; give a whole number")
    if value < 1:
        raise DomainError(f"[domain] {owner}: `{name}` must be at least 1, got {value}")
    return int(value)


def _number(owner: str, name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise DtypeError(f"[dtype] `{name}` must have dtype float, got {type(value).__name__}; give a number")
    return float(value)


def _start(owner: str, start: Any) -> list[float]:
    """Coefficients to start from, as floats; their number is the core's to check."""
    array = np.asarray(start if isinstance(start, (list, tuple, str)) else _core._array_to_numpy(start))
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"[dtype] `start` must have dtype float, got {array.dtype}; give one number per coefficient")
    if array.ndim != 1:
        raise ShapeError(f"[shape] {owner}: `start` must have one dimension, got shape {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise DomainError(f"[domain] {owner}: `start` must be finite, got {array[bad[0]]} at position {bad[0]}")
    return [float(b) for b in array]


def engine_named(engine: Engine | str | None) -> Engine:
    """Return the engine of a name; engines stay.

    Raises
    ------
    DomainError
    """
    from isostat import engines

    if isinstance(engine, Engine):
        return engine
    makers = {"torch": engines.TorchEngine, "jax": engines.JaxEngine, "cupy": engines.CupyEngine}
    if engine not in makers:
        known = ", ".join(['"fused"', '"numpy"', *(f'"{m}"' for m in makers)])
        given = f'"{engine}"' if isinstance(engine, str) else repr(engine)
        raise DomainError(f"[domain] fit_glm: `engine` must be an engine or one of {known}, got {given}")
    made: Engine = makers[str(engine)]()
    return made
