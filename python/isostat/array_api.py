"""The array namespace of any engine's arrays, for functions that are written once.

>>> import numpy as np
>>> from isostat.array_api import namespace, special
>>> xp = namespace(np.ones(3))
>>> float(xp.sum(xp.exp(np.zeros(3))))
3.0
>>> round(float(special("ln_gamma", np.asarray([5.0]))[0]), 12)
3.178053830348
"""

from __future__ import annotations

import sys
from typing import Any

from isostat import _core
from isostat.errors import DtypeError, MixedEngineError

__all__ = ["as_namespace_array", "namespace", "special"]

#: Engines whose own module departs from the standard, with the module that mends it.
_COMPAT = {
    "numpy": "array_api_compat.numpy",
    "torch": "array_api_compat.torch",
    "cupy": "array_api_compat.cupy",
}


def namespace(*arrays: Any) -> Any:
    """Return the array-API namespace that the arrays share.

    Python scalars and None have none and are passed over; without any array the namespace is NumPy's.

    Parameters
    ----------
    *arrays : array
        Arrays of one engine, traced ones included.

    Returns
    -------
    module
        A namespace that follows the array-API standard.

    Raises
    ------
    MixedEngineError
        If two arrays belong to different engines; the message names both positions.
    DtypeError
        If an argument is neither an array nor a scalar.
    """
    found: tuple[int, str, Any] | None = None
    for position, array in enumerate(arrays):
        if array is None or isinstance(array, (bool, int, float, complex)):
            continue
        described = _core._describe_array(array)
        if described is None:
            raise DtypeError(
                f"[dtype] argument {position} must have dtype of an array, got {type(array).__name__}; "
                "register its type with isostat.register_array_type"
            )
        name = described[0]
        if found is None:
            found = (position, name, array)
        elif found[1] != name:
            raise MixedEngineError(
                f"[mixed-engine] mixed engines: `argument {found[0]}` is {found[1]}, "
                f"`argument {position}` is {name}; convert one of them, e.g. with isostat.to_numpy"
            )
    if found is None:
        return _compat("numpy", None)
    return _compat(found[1], _core._module_of(found[2]))


def _compat(name: str, module: Any) -> Any:
    if name not in _COMPAT:
        return module
    import importlib

    return importlib.import_module(_COMPAT[name])


def as_namespace_array(x: Any, xp: Any, *, like: Any = None) -> Any:
    """Make an array of a namespace.

    Parameters
    ----------
    x : array, sequence or scalar
        Values. An array of another engine is brought to the host first; one of the same namespace is kept.
    xp : module
        The target namespace.
    like : array, optional
        An array whose dtype and device the result takes.

    Returns
    -------
    array
        ``x`` in ``xp``.
    """
    keywords: dict[str, Any] = {}
    if like is not None:
        keywords["dtype"] = like.dtype
        device = _device_of(like)
        if device is not None:
            keywords["device"] = device
    described = _core._describe_array(x)
    if described is not None and not _acts_on(xp, x):
        x = _core._array_to_numpy(x)
    return xp.asarray(x, **keywords)


def _acts_on(xp: Any, array: Any) -> bool:
    """Whether a namespace is the array's own, by itself or through array-api-compat."""
    own = _core._module_of(array)
    name = getattr(xp, "__name__", "")
    return xp is own or name.removeprefix("array_api_compat.") == getattr(own, "__name__", None)


def _device_of(array: Any) -> Any:
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.core.Tracer):
        return None
    return getattr(array, "device", None)


def special(name: str, x: Any) -> Any:
    """Apply an elementary or special function element by element, in the array's own namespace.

    Parameters
    ----------
    name : str
        ``abs exp exp_m1 ln ln_1p sqrt square sin cos tan atan tanh sigmoid softplus ln_gamma digamma trigamma
        polygamma2 polygamma3 polygamma4 erf erfc erfcx norm_cdf norm_log_cdf norm_quantile``.
    x : array or float
        A real floating array of any engine. Gamma functions without an own routine in the namespace (NumPy,
        array-API) take positive arguments and give NaN below 0.

    Returns
    -------
    array or float
        The values, in the dtype and on the device of ``x``. Automatic differentiation passes through.

    Raises
    ------
    DomainError
        If there is no function of this name.
    DtypeError
        If ``x`` is not an array of a known engine.
    """
    return _core._map_unary(name, x)
