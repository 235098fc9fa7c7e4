"""Nothing of length n leaves the caller's namespace or device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import array_api_strict as strict
import isostat as iso
import jax
import numpy as np
import pytest
import torch

jax.config.update("jax_enable_x64", True)
# The arrays are small: threads would wait for each other longer than they work.
torch.set_num_threads(1)
jnp = jax.numpy

P = 3
# More rows than any p-sized object has elements, and more than one block of rows.
SIZES = (300, 600)
# The information matrix with its neighbours is the largest object that may cross: (p + 1)² doubles.
LARGEST = 8 * (P + 1) ** 2
# The engines sum in another order than the host.
PARITY = 1e-10

FAMILIES = {
    "poisson": (None, lambda rng, mu: rng.poisson(mu).astype(float)),
    "gamma": ("log", lambda rng, mu: rng.gamma(4.0, mu / 4.0)),
    "binomial": ("probit", lambda rng, mu: (rng.uniform(size=mu.size) < 0.5).astype(float)),
    "inverse_gaussian": ("log", lambda rng, mu: rng.wald(mu, 5.0)),
}


def data(n: int, family: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    X = rng.uniform(-1.0, 1.0, (n, P))
    mu = np.exp(0.5 + X @ [0.4, -0.3, 0.2])
    return {
        "X": X,
        "y": FAMILIES[family][1](rng, mu),
        "weights": rng.integers(1, 4, n).astype(float),
        "offset": rng.uniform(-0.1, 0.1, n),
    }


#: What is asked of a fit; each gives an array or a number.
QUESTIONS: dict[str, Callable[[iso.Fit], Any]] = {
    "coef": lambda fit: fit.coef,
    "stderr": lambda fit: fit.stderr,
    "vcov": lambda fit: fit.vcov,
    "loglik": lambda fit: fit.loglik,
    "null deviance": lambda fit: fit.null_deviance,
    "confint": lambda fit: fit.confint(),
    "fitted": lambda fit: fit.fitted,
    "linear predictor": lambda fit: fit.linear_predictor,
    "deviance residuals": lambda fit: fit.residuals("deviance"),
    "pearson residuals": lambda fit: fit.residuals("pearson"),
    "working residuals": lambda fit: fit.residuals("working"),
    "leverage": lambda fit: fit.leverage,
    "Cook's distance": lambda fit: fit.cooks_distance,
    "rstandard": lambda fit: fit.rstandard,
    "rstudent": lambda fit: fit.rstudent,
    "predict": lambda fit: fit.predict(),
    "predict with errors": lambda fit: fit.predict(se=True).se,
    "HC3": lambda fit: fit.robust("HC3").stderr,
    "HC0": lambda fit: fit.robust("HC0").stderr,
    "loglik_at": lambda fit: fit.loglik_at(fit.coef),
}


def ask_everything(given: dict[str, Any], family: str) -> tuple[iso.Fit, dict[str, Any]]:
    """Fit, and ask every question, new rows included."""
    fit = iso.fit_glm(
        given["X"],
        given["y"],
        family=family,
        link=FAMILIES[family][0],
        weights=given["weights"],
        offset=given["offset"],
    )
    answers = {name: question(fit) for name, question in QUESTIONS.items()}
    answers["predict new rows"] = fit.predict(given["X"])
    return fit, answers


def check_answers(answers: dict[str, Any], family: str, n: int, read: Callable[[Any], Any]) -> None:
    _, expected = ask_everything(data(n, family), family)
    for name, answer in answers.items():
        value = answer if isinstance(answer, float) else read(answer)
        np.testing.assert_allclose(value, expected[name], rtol=PARITY, atol=PARITY, err_msg=name)


def check_conversions(fit: iso.Fit) -> None:
    """The record names each array that crossed; all of them are p-sized."""
    conversions = fit.evidence.conversions
    assert conversions
    for conversion in conversions:
        assert conversion["bytes"] <= LARGEST, conversion
        sizes = [int(size) for size in re.findall(r"\d+", conversion["what"])]
        assert all(size <= P + 1 for size in sizes), conversion


# ------------------------------------------------------------------------------------- array-api-strict


class ExportError(RuntimeError):
    """An array was about to leave its namespace."""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Array-API arrays that refuse every way out, and count the scalars that are read."""
    array = type(strict.ones(1))
    counts = {"scalars": 0}

    def refuse(self: Any, *_: Any, **__: Any) -> None:
        raise ExportError(f"shape {self.shape}")

    for name in ("__array__", "__dlpack__", "__buffer__"):
        monkeypatch.setattr(array, name, refuse)
    for name in ("__float__", "__int__", "__bool__"):
        original = getattr(array, name)

        def counted(self: Any, original: Any = original) -> Any:
            counts["scalars"] += 1
            return original(self)

        monkeypatch.setattr(array, name, counted)
    yield counts


def test_the_ways_out_are_closed(reads: dict[str, int]) -> None:
    with pytest.raises(ExportError):
        np.asarray(strict.ones(3))
    with pytest.raises(ExportError):
        np.from_dlpack(strict.ones(3))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("device", ["CPU_DEVICE", "device1"])
def test_nothing_leaves_a_strict_namespace(reads: dict[str, int], family: str, device: str) -> None:
    place = strict.Device(device)
    scalars = []
    for n in SIZES:
        before = reads["scalars"]
        given = {name: strict.asarray(a, device=place) for name, a in data(n, family).items()}
        fit, answers = ask_everything(given, family)
        scalars.append(reads["scalars"] - before)
        for name, answer in answers.items():
            if not isinstance(answer, float):
                assert type(answer) is type(given["X"]), name
                assert answer.device == place, name
        check_conversions(fit)
        check_answers(answers, family, n, lambda a: a._array)
    # Scalars are read by iteration and by coefficient, never by row: twice the rows, about as many reads.
    assert max(scalars) < SIZES[0] * 4
    assert abs(scalars[1] - scalars[0]) < SIZES[0]


# ------------------------------------------------------------------------------------------------ torch

from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

TRANSFERS = ("_to_copy", "copy_", "_local_scalar_dense", "item", "to")


class Operations(TorchDispatchMode):
    """Counts the operations that run, and the elements of each that may move data between devices."""

    def __init__(self) -> None:
        super().__init__()
        self.n_operations = 0
        self.moved: list[tuple[str, int]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.n_operations += 1
        name = func._schema.name.removeprefix("aten::")
        if name in TRANSFERS:
            self.moved.append((name, args[0].numel()))
        return func(*args, **(kwargs or {}))


class WaysOut(TorchFunctionMode):
    """Records what leaves torch for the host: these calls run no operation that a dispatch mode sees."""

    NAMES = ("numpy", "tolist", "__array__", "__dlpack__", "item", "__float__", "cpu", "untyped_storage", "data_ptr")

    def __init__(self) -> None:
        super().__init__()
        self.left: list[tuple[str, int]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in self.NAMES:
            self.left.append((name, args[0].numel()))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", SIZES)
def test_nothing_leaves_torch(family: str, n: int) -> None:
    given = {name: torch.tensor(a) for name, a in data(n, family).items()}
    with Operations() as operations, WaysOut() as ways:
        fit, answers = ask_everything(given, family)
    assert operations.n_operations > 100
    assert ways.left
    for name, elements in [*operations.moved, *ways.left]:
        assert elements <= (P + 1) ** 2, name
        if name in ("_local_scalar_dense", "item", "__float__"):
            assert elements == 1, name
    check_conversions(fit)
    check_answers(answers, family, n, lambda a: a.numpy())


def test_the_modes_see_what_leaves() -> None:
    """The proof above would be empty if the modes were blind."""
    x = torch.ones(7, dtype=torch.float64)
    with Operations() as operations, WaysOut() as ways:
        x.to(torch.float32)
        x.numpy()
        x.sum().item()
    assert ("_to_copy", 7) in operations.moved
    assert ("_local_scalar_dense", 1) in operations.moved
    assert ("numpy", 7) in ways.left


# -------------------------------------------------------------------------------------------------- jax


def primitives(jaxpr: Any) -> Iterator[str]:
    """Names of all primitives, those of inner programs included."""
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from primitives(inner)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_iter", [None, 6])
def test_the_program_of_jax_has_no_callbacks(family: str, n_iter: int | None) -> None:
    given = {name: jnp.asarray(a) for name, a in data(SIZES[0], family).items()}

    def whole(X: Any, y: Any, weights: Any, offset: Any) -> Any:
        link = FAMILIES[family][0]
        return iso.functional.glm(X, y, family=family, link=link, weights=weights, offset=offset, n_iter=n_iter)

    names = set(primitives(jax.make_jaxpr(whole)(*given.values()).jaxpr))
    assert not [name for name in names if "callback" in name or "outfeed" in name or name == "device_put"]
    assert "while" in names or "scan" in names
    assert "dot_general" in names


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_leaves_jax(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = SIZES[0]
    given = {name: jnp.asarray(a) for name, a in data(n, family).items()}
    array = type(given["X"])
    left: list[int] = []
    for name in ("__array__", "__float__", "__int__", "__bool__", "item", "tolist", "__dlpack__"):
        original = getattr(array, name)

        def counted(self: Any, *args: Any, original: Any = original, **options: Any) -> Any:
            left.append(self.size)
            return original(self, *args, **options)

        monkeypatch.setattr(array, name, counted)
    fit, answers = ask_everything(given, family)
    monkeypatch.undo()
    assert left
    assert max(left) <= (P + 1) ** 2
    check_conversions(fit)
    check_answers(answers, family, n, np.asarray)


# ------------------------------------------------------------------------------------- what is recorded


def test_a_cast_is_recorded() -> None:
    """Integer counts are cast beside a floating design: inside the namespace, and said."""
    given = {name: torch.tensor(a) for name, a in data(SIZES[0], "poisson").items()}
    fit = iso.fit_glm(given["X"], given["y"].to(torch.int64), family="poisson")
    assert {"what": "y", "from": "int64", "to": "float64", "bytes": 8 * SIZES[0]} in fit.evidence.conversions


def test_a_conversion_between_engines_is_recorded() -> None:
    given = data(SIZES[0], "poisson")
    fit = iso.fit_glm(given["X"], given["y"], family="poisson", engine=iso.TorchEngine())
    assert isinstance(fit.coef, torch.Tensor)
    moved = {c["what"]: c for c in fit.evidence.conversions}
    assert moved["X"]["bytes"] == 8 * SIZES[0] * P
    assert moved["X"]["from"].startswith("numpy")
    assert moved["X"]["to"].startswith("torch")
