"""Engines: detection, conversion, and the table of elementary functions on every array library."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import warnings

import array_api_strict as strict
import jax
import mpmath
import numpy as np
import pytest
import torch
from isostat import errors
from isostat.array_api import as_namespace_array, namespace, special
from isostat.engines import (
    FUSED_NUMPY_ENGINE,
    NUMPY_ENGINE,
    ArrayApiEngine,
    CupyEngine,
    JaxEngine,
    NumpyEngine,
    TorchEngine,
    engine_of,
    normalize_numpy_dtype,
    normalize_torch_dtype,
    precision_name,
    register_array_type,
    to_numpy,
)

jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

MAKERS = {"numpy": np.asarray, "strict": strict.asarray, "torch": torch.tensor, "jax": jnp.asarray}
EPS = np.finfo(np.float64).eps

# Relative error allowed per unit of (1 + condition number): a few roundings of each step. The condition
# number |x f'(x)/f(x)| is what the rounding of the argument alone costs, beside zeros and in tails.
ROUNDING = 64 * EPS
# Derivatives of rational approximations lose a few digits against the approximations themselves.
DERIVATIVE = 1e-12
# torch differentiates digamma by its own trigamma, which stops at nine digits.
TORCH_TRIGAMMA = 1e-8

mpmath.mp.dps = 50
SQRT2 = mpmath.sqrt(2)


def norm_cdf(x):
    return mpmath.erfc(-x / SQRT2) / 2


def norm_log_cdf(x):
    return mpmath.log(norm_cdf(x)) if x < 0 else mpmath.log1p(-mpmath.erfc(x / SQRT2) / 2)


def norm_quantile(p):
    """Newton on the logarithm of the lower tail, which is concave: it converges from anywhere."""
    if p > 0.5:
        return -norm_quantile(1 - p)
    z = -mpmath.sqrt(-2 * mpmath.log(p))
    for _ in range(12):
        z -= mpmath.log(norm_cdf(z) / p) * norm_cdf(z) / mpmath.npdf(z)
    return z


POSITIVE = np.concatenate(
    [
        np.geomspace(1e-8, 1e6, 60),
        np.linspace(0.1, 12, 60),
        1 + np.array([-1e-4, 1e-5]),
        2 + np.array([-1e-4, 1e-5]),
    ]
)
REAL = np.concatenate([np.linspace(-26, 26, 61), np.linspace(-1.3, 1.3, 60)])
OPEN_UNIT = np.concatenate(
    [np.geomspace(1e-300, 0.01, 30), np.linspace(0.03, 0.97, 60), 1 - np.geomspace(1e-12, 0.02, 9)]
)

CASES = {
    "abs": (abs, REAL),
    "floor": (mpmath.floor, REAL),
    "exp": (mpmath.exp, REAL),
    "exp_m1": (mpmath.expm1, REAL),
    "ln": (mpmath.log, POSITIVE),
    "ln_1p": (mpmath.log1p, POSITIVE),
    "sqrt": (mpmath.sqrt, POSITIVE),
    "square": (lambda x: x * x, REAL),
    "sin": (mpmath.sin, REAL),
    "cos": (mpmath.cos, REAL),
    "tan": (mpmath.tan, REAL),
    "atan": (mpmath.atan, REAL),
    "tanh": (mpmath.tanh, REAL),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), REAL),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), REAL),
    "ln_gamma": (mpmath.loggamma, POSITIVE),
    "digamma": (mpmath.digamma, POSITIVE),
    "trigamma": (lambda x: mpmath.psi(1, x), POSITIVE),
    "polygamma2": (lambda x: mpmath.psi(2, x), POSITIVE),
    "polygamma3": (lambda x: mpmath.psi(3, x), POSITIVE),
    "polygamma4": (lambda x: mpmath.psi(4, x), POSITIVE),
    "erf": (mpmath.erf, REAL),
    "erfc": (mpmath.erfc, REAL),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), REAL),
    "norm_cdf": (norm_cdf, REAL),
    "norm_log_cdf": (norm_log_cdf, REAL),
    "norm_quantile": (norm_quantile, OPEN_UNIT),
}
DERIVATIVES = {
    "floor": lambda x: mpmath.mpf(0),
    "softplus": lambda x: 1 / (1 + mpmath.exp(-x)),
    "ln_gamma": mpmath.digamma,
    "digamma": lambda x: mpmath.psi(1, x),
    "trigamma": lambda x: mpmath.psi(2, x),
    "polygamma2": lambda x: mpmath.psi(3, x),
    "erf": lambda x: 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-x * x),
    "erfc": lambda x: -2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-x * x),
    "erfcx": lambda x: 2 * x * mpmath.exp(x * x) * mpmath.erfc(x) - 2 / mpmath.sqrt(mpmath.pi),
    "norm_cdf": mpmath.npdf,
    "norm_log_cdf": lambda x: mpmath.npdf(x) / norm_cdf(x),
    "norm_quantile": lambda p: 1 / mpmath.npdf(norm_quantile(p)),
}
GAMMA_POINTS = np.array([1e-3, 0.3, 0.5, 0.99, 1.0, 1.2, 1.5, 2.0, 2.5, 3.7, 8.0, 9.1, 50.0])
REAL_POINTS = np.array([-20.0, -5.0, -4.0, -1.0, -0.7, -0.46, 0.0, 0.3, 0.47, 1.0, 4.5, 20.0])
UNIT_POINTS = np.array([1e-9, 0.01, 0.075, 0.3, 0.5, 0.8, 0.925, 0.99])


def host(array) -> np.ndarray:
    return to_numpy(array)


def reference(name: str, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values in 50 digits, rounded, and condition numbers."""
    function, _ = CASES[name]
    values, conditions = [], []
    for point in points:
        x = mpmath.mpf(float(point))
        value = function(x)
        step = abs(x) * 1e-15 or 1e-15
        slope = DERIVATIVES[name](x) if name in DERIVATIVES else mpmath.diff(function, x, h=step)
        values.append(value)
        conditions.append(float(abs(x * slope / value)) if value else 0.0)
    return values, np.asarray(conditions)


def relative_error(result: float, exact) -> float:
    return float(abs(mpmath.mpf(float(result)) - exact) / abs(exact)) if exact else abs(float(result))


@pytest.mark.parametrize("name", CASES)
def test_elementary_functions_are_accurate_on_every_library(name):
    _, points = CASES[name]
    values, condition = reference(name, points)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = {library: host(special(name, make(points))) for library, make in MAKERS.items()}
    for library, result in results.items():
        error = np.array([relative_error(r, v) for r, v in zip(result, values, strict=True)])
        bad = np.flatnonzero(~(error <= ROUNDING * (1 + condition)))
        assert bad.size == 0, (library, points[bad], error[bad])


def slope_points(name: str) -> np.ndarray:
    if name == "norm_quantile":
        return UNIT_POINTS
    return GAMMA_POINTS if "gamma" in name else REAL_POINTS


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_pass_through_without_nan(name):
    points = slope_points(name)
    exact = np.array([float(DERIVATIVES[name](mpmath.mpf(float(p)))) for p in points])
    tensor = torch.tensor(points, requires_grad=True)
    special(name, tensor).sum().backward()
    slopes = {
        "torch": tensor.grad.numpy(),
        "jax": np.asarray(jax.grad(lambda v: special(name, v).sum())(jnp.asarray(points))),
        "jit": np.asarray(jax.jit(jax.vmap(jax.grad(lambda v: special(name, v))))(jnp.asarray(points))),
    }
    for library, slope in slopes.items():
        tolerance = TORCH_TRIGAMMA if (library, name) == ("torch", "digamma") else DERIVATIVE
        np.testing.assert_allclose(slope, exact, rtol=tolerance, err_msg=library)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("library", MAKERS)
def test_float32_stays_float32(library, name):
    points = np.array([0.1, 0.5, 0.9], dtype=np.float32)
    array = MAKERS[library](points)
    for x in (array, array[1, ...]):
        result = special(name, x)
        assert precision_name(result) == "float32"
        assert type(result) is type(x) or library == "numpy"


EDGES = {
    "sigmoid": {np.inf: 1.0, -np.inf: 0.0, 1e308: 1.0},
    "softplus": {np.inf: np.inf, -np.inf: 0.0, 1e308: 1e308},
    "ln_gamma": {np.inf: np.inf, 0.0: np.inf, 1.0: 0.0, 2.0: 0.0},
    "digamma": {np.inf: np.inf},
    "erf": {np.inf: 1.0, -np.inf: -1.0, 0.0: 0.0},
    "erfc": {np.inf: 0.0, -np.inf: 2.0},
    "erfcx": {np.inf: 0.0, -np.inf: np.inf, 0.0: 1.0},
    "norm_cdf": {np.inf: 1.0, -np.inf: 0.0, 0.0: 0.5},
    "norm_log_cdf": {np.inf: 0.0, -np.inf: -np.inf},
    "norm_quantile": {0.0: -np.inf, 1.0: np.inf, 0.5: 0.0, -0.1: np.nan, 1.1: np.nan},
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("library", MAKERS)
def test_edges_and_nan(library, name):
    points = np.array([*EDGES[name], np.nan])
    result = host(special(name, MAKERS[library](points)))
    np.testing.assert_array_equal(result, [*EDGES[name].values(), np.nan])


def test_torch_transforms_pass_through():
    x = torch.linspace(0.5, 3, 7, dtype=torch.float64)
    batched = torch.func.vmap(lambda v: special("ln_gamma", v))(x)
    torch.testing.assert_close(batched, special("ln_gamma", x))
    slope = torch.func.vmap(torch.func.grad(lambda v: special("ln_gamma", v)))(x)
    torch.testing.assert_close(slope, torch.digamma(x))


def test_the_callers_exception_arrives_with_the_operation_named():
    with pytest.raises(TypeError) as caught:
        special("exp", np.array(["a"]))
    assert not isinstance(caught.value, errors.IsostatError)
    assert caught.value.__notes__ == ["in isostat operation `exp`"]


def test_special_refuses_what_it_does_not_know():
    with pytest.raises(errors.DomainError, match=r"\[domain\] special: `name` must be one of .*got nope"):
        special("nope", np.ones(2))
    with pytest.raises(errors.DtypeError, match=r"got list"):
        special("exp", [1.0, 2.0])
    assert special("square", 3.0) == 9.0


# ------------------------------------------------------------------------------------------- detection


def test_engine_of_reads_the_input():
    assert engine_of(np.ones(2)) is NUMPY_ENGINE
    assert engine_of([1.0, "a", None]) is NUMPY_ENGINE
    assert engine_of({"a": [torch.ones(2)]}) == TorchEngine(dtype="float32")
    assert engine_of((torch.ones(2, dtype=torch.float64), torch.arange(3))) == TorchEngine()
    assert engine_of(jnp.ones(2)) == JaxEngine(device="cpu:0", dtype="float64")
    assert engine_of(strict.ones(2)).namespace is strict
    seen = []
    jax.jit(lambda x: seen.append(engine_of(x)) or x)(jnp.ones(2))
    assert seen == [JaxEngine()]


def test_mixed_payloads_are_refused_by_path():
    with pytest.raises(errors.MixedEngineError) as caught:
        engine_of({"a": torch.ones(2), "b": [np.ones(2)]})
    assert str(caught.value) == (
        "[mixed-engine] mixed engines: `x['a']` is torch, `x['b'][0]` is numpy; "
        "convert one of them, e.g. with isostat.to_numpy"
    )
    with pytest.raises(errors.MixedEngineError, match=r"is torch float32, `x\[1\]` is torch float64"):
        engine_of([torch.ones(2), torch.ones(2, dtype=torch.float64)])
    with pytest.raises(errors.MixedEngineError, match=r"is torch on cpu, `x\[1\]` is torch on meta"):
        engine_of([torch.ones(2), torch.ones(2, device="meta")])
    loop: list = []
    loop.append(loop)
    with pytest.raises(errors.DomainError, match="contain itself"):
        engine_of(loop)


def test_masked_arrays_are_refused():
    with pytest.raises(errors.DtypeError, match="masked"):
        engine_of(np.ma.masked_array([1.0, 2.0], mask=[True, False]))


class Wrapped:
    """An array type of its own, for registration."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=float)
        self.dtype = self.values.dtype
        self.shape = self.values.shape
        self.device = "cpu"


class Functions:
    """Its namespace."""

    asarray = Wrapped
    matmul = None

    @staticmethod
    def exp(x):
        return Wrapped(np.exp(x.values))


def test_a_registered_type_is_an_engine():
    assert special_refused(Wrapped([0.0]))
    register_array_type(Wrapped, "wrapped", Functions)
    np.testing.assert_allclose(special("exp", Wrapped([0.0, 1.0])).values, np.exp([0.0, 1.0]), rtol=EPS)
    assert engine_of(Wrapped([1.0])) == ArrayApiEngine(Functions, dtype="float64")
    with pytest.raises(errors.MixedEngineError, match="is wrapped"):
        engine_of([Wrapped([1.0]), np.ones(1)])
    with pytest.raises(errors.DomainError):
        register_array_type(object, "everything", Functions)
    with pytest.raises(errors.DomainError, match="be free"):
        register_array_type(Wrapped, "torch", Functions)


def special_refused(x) -> bool:
    try:
        special("exp", x)
    except errors.DtypeError:
        return True
    return False


# ------------------------------------------------------------------------------ engines and conversion


@pytest.mark.parametrize("library", MAKERS)
def test_to_numpy_keeps_structure_and_dtype(library):
    payload = {"a": MAKERS[library](np.ones(2, dtype=np.float32)), "b": ("text", 3)}
    result = to_numpy(payload)
    assert result["b"] == ("text", 3)
    assert type(result["a"]) is np.ndarray
    assert result["a"].dtype == np.float32


def test_to_numpy_of_gradients_and_bfloat16():
    tensor = torch.tensor([1.5, 2.5], dtype=torch.bfloat16, requires_grad=True)
    np.testing.assert_array_equal(to_numpy(tensor), np.array([1.5, 2.5], dtype=np.float32))


def test_engines_are_values():
    assert NumpyEngine() == NUMPY_ENGINE != FUSED_NUMPY_ENGINE
    assert (NUMPY_ENGINE.name, FUSED_NUMPY_ENGINE.name) == ("numpy", "fused")
    assert NumpyEngine("single").asarray([1.0]).dtype == np.float32
    assert NumpyEngine("single").asarray([1]).dtype.kind == "i"
    assert NumpyEngine(float).dtype == "float64"
    assert TorchEngine(dtype=torch.float32).asarray([1.0]).dtype == torch.float32
    assert TorchEngine().asarray(np.ones(1, dtype=np.float32)).dtype == torch.float64
    assert TorchEngine(device="cuda") == TorchEngine(device="cuda:0")
    assert JaxEngine(dtype="float32").asarray([1.0]).dtype == jnp.float32
    assert ArrayApiEngine("array_api_strict").namespace is strict
    assert pickle.loads(pickle.dumps(TorchEngine(dtype="float32"))) == TorchEngine(dtype="float32")


def test_engines_refuse_what_they_cannot_be():
    with pytest.raises(errors.DomainError, match="`device` must be a device of torch"):
        TorchEngine(device="gpu??")
    with pytest.raises(errors.DomainError, match="`shard`"):
        TorchEngine(shard="rows")
    with pytest.raises(errors.DomainError, match="`device` must be of a platform"):
        JaxEngine(device="abacus")
    with pytest.raises(errors.DomainError, match="`device` must be one of"):
        JaxEngine(device="cpu:99")
    with pytest.raises(errors.DomainError, match="`namespace`"):
        ArrayApiEngine(np.random)
    with pytest.raises(errors.DtypeError, match="bfloat16"):
        NumpyEngine("bfloat16")


@pytest.mark.parametrize(
    ("engine", "package"), [(TorchEngine, "torch"), (JaxEngine, "jax"), (CupyEngine, "cupy-cuda12x")]
)
def test_a_missing_package_is_named_with_its_command(monkeypatch, engine, package):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(errors.MissingDependencyError, match=f"pip install {package}"):
        engine()


def test_dtypes_by_any_name():
    for alias in ("float64", "double", float, np.float64, torch.float64, np.dtype("f8")):
        assert normalize_numpy_dtype(alias) == np.dtype("float64")
        assert normalize_torch_dtype(alias) is torch.float64
    assert normalize_torch_dtype("bf16") is torch.bfloat16
    assert normalize_numpy_dtype(None) is None
    assert precision_name(TorchEngine(dtype="single")) == "float32"
    assert precision_name(NUMPY_ENGINE) == ""
    with pytest.raises(errors.DtypeError):
        normalize_numpy_dtype("int8")


@pytest.mark.parametrize("library", MAKERS)
def test_namespace_is_the_standards(library):
    x = MAKERS[library](np.ones((2, 3)))
    xp = namespace(x, None, 2.0)
    assert host(xp.sum(x, axis=1)).tolist() == [3.0, 3.0]
    assert host(xp.concat([x, x], axis=0)).shape == (4, 3)
    with pytest.raises(errors.MixedEngineError, match="`argument 1` is"):
        namespace(x, np.ones(2) if library != "numpy" else torch.ones(2))


@pytest.mark.parametrize("library", MAKERS)
def test_arrays_are_made_for_any_namespace(library):
    like = MAKERS[library](np.ones(2, dtype=np.float32))
    for source in ([1.0, 2.0], np.array([1.0, 2.0]), torch.tensor([1.0, 2.0])):
        result = as_namespace_array(source, namespace(like), like=like)
        assert type(result) is type(like)
        assert precision_name(result) == "float32"
        assert host(result).tolist() == [1.0, 2.0]


# ---------------------------------------------------------------------------------- errors and imports

TYPE_ERRORS = {"MixedEngineError", "DtypeError"}
OTHERS = {"IsostatError", "InternalError", "ConvergenceWarning"}
KINDS = [name for name in errors.__all__ if name not in OTHERS]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_an_isostat_error_and_a_builtin_one(name):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.IsostatError)
    assert issubclass(kind, TypeError if name in TYPE_ERRORS else ValueError)
    error = kind("message")
    error.remedy = "do this"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.remedy) == (kind, "message", "do this")


def test_there_are_eleven_kinds():
    assert len(KINDS) == 11


def test_imports_stay_lazy():
    program = (
        "import sys, isostat.engines, isostat.errors, isostat.array_api, numpy\n"
        "isostat.engines.engine_of(numpy.ones(2)); isostat.array_api.special('ln_gamma', numpy.ones(2))\n"
        "print([m for m in ('torch', 'jax', 'pandas', 'matplotlib', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
