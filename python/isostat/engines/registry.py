"""Which engine data belong to, by the arrays they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from isostat import _core
from isostat.engines.array_api import ArrayApiEngine
from isostat.engines.base import Engine
from isostat.engines.cupy import CupyEngine
from isostat.engines.jax import JaxEngine
from isostat.engines.numpy import NUMPY_ENGINE
from isostat.engines.torch import TorchEngine
from isostat.errors import DomainError, MixedEngineError

__all__ = ["engine_of", "register_array_type", "to_numpy"]

_FLOATING = ("float", "bfloat")


def engine_of(x: Any) -> Engine:
    """Return the engine of an array or of a nested payload (dict, list, tuple).

    Parameters
    ----------
    x : array, dict, list or tuple
        Numbers, strings and None have no engine; without any array it is NumPy's.

    Returns
    -------
    Engine
        ``NUMPY_ENGINE`` for NumPy arrays; for others an engine with the device and floating dtype of the
        arrays.

    Raises
    ------
    MixedEngineError
        If two arrays differ in engine, device or (outside NumPy) floating dtype; both paths are named.
    DomainError
        If the payload contains itself.
    """
    first: tuple[str, Any, tuple[str, str, str]] | None = None
    floating: tuple[str, tuple[str, str, str]] | None = None
    for path, leaf in _leaves(x, "x", ()):
        described = _core._describe_array(leaf)
        if described is None:
            continue
        name, dtype, device = described
        if first is None:
            first = (path, leaf, described)
        elif name != first[2][0]:
            raise _mixed(first[0], first[2][0], path, name)
        elif device != first[2][2] and "traced" not in (device, first[2][2]):
            raise _mixed(first[0], f"{name} on {first[2][2]}", path, f"{name} on {device}")
        if not dtype.startswith(_FLOATING) or name == "numpy":
            continue
        if floating is None:
            floating = (path, described)
        elif dtype != floating[1][1]:
            raise _mixed(floating[0], f"{name} {floating[1][1]}", path, f"{name} {dtype}")
    if first is None:
        return NUMPY_ENGINE
    return _engine(first[1], first[2], None if floating is None else floating[1][1])


def _engine(leaf: Any, described: tuple[str, str, str], dtype: str | None) -> Engine:
    name, _, device = described
    if name == "numpy":
        return NUMPY_ENGINE
    if name == "torch":
        return TorchEngine(device=device, dtype=dtype)
    if name == "jax":
        single = device != "traced" and " x " not in device
        return JaxEngine(device=device if single else None, dtype=dtype)
    if name == "cupy":
        return CupyEngine(dtype=dtype)
    return ArrayApiEngine(_core._module_of(leaf), dtype=dtype)


def _mixed(first: str, first_engine: str, second: str, second_engine: str) -> MixedEngineError:
    remedy = "convert one of them, e.g. with isostat.to_numpy"
    error = MixedEngineError(
        f"[mixed-engine] mixed engines: `{first}` is {first_engine}, `{second}` is {second_engine}; {remedy}"
    )
    error.remedy = remedy
    return error


def _leaves(x: Any, path: str, above: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    """Every leaf of a payload with its path; numbers and strings are passed over."""
    if isinstance(x, (Mapping, list, tuple)):
        if id(x) in above:
            raise DomainError(f"[domain] engine_of: `{path}` must not contain itself, got a cycle")
        items = x.items() if isinstance(x, Mapping) else enumerate(x)
        for key, value in items:
            yield from _leaves(value, f"{path}[{key!r}]", (*above, id(x)))
    elif x is not None and not isinstance(x, (bool, int, float, complex, str, bytes)):
        yield path, x


def to_numpy(x: Any) -> Any:
    """Bring arrays of any engine to the host as NumPy arrays; dicts, lists and tuples keep their structure.

    Values that are no arrays, such as strings and numbers, stay as they are. Tensors lose their derivative;
    bfloat16 becomes float32, which holds it exactly.
    """
    if isinstance(x, Mapping):
        return {key: to_numpy(value) for key, value in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(to_numpy(value) for value in x))
    if isinstance(x, (list, tuple)):
        return type(x)(to_numpy(value) for value in x)
    if x is None or isinstance(x, (bool, int, float, complex, str, bytes)):
        return x
    return _core._array_to_numpy(x)


def register_array_type(array_type: type, name: str, namespace: Any) -> None:
    """Register an array type under the name of an engine.

    Parameters
    ----------
    array_type : type
        The type; its subclasses belong to it.
    name : str
        Name of the engine, as messages and evidence give it.
    namespace : module
        The functions that act on such arrays, by array-API names.

    Raises
    ------
    DomainError
        For ``object``, and for a name that belongs to another namespace.
    """
    _core._register_array_type(array_type, name, namespace)
