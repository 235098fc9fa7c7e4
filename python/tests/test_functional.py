"""The pure form of a fit under jit, vmap, grad and autograd, and the likelihood at other coefficients."""

from __future__ import annotations

import math
from typing import Any

import array_api_strict as strict
import isostat as iso
import jax
import numpy as np
import pytest
import torch
from isostat import families, links

jax.config.update("jax_enable_x64", True)
# The arrays are small: threads would wait for each other longer than they work.
torch.set_num_threads(1)
jnp = jax.numpy

# Both solve the same equations to rounding; their last steps differ.
SAME = 1e-9
# Central differences of step h have an error of h² by truncation and 1e-15/h by rounding.
STEP = 1e-5
DIFFERENCES = 2e-7
# Implicit derivatives and formulas of the same quantity: rounding, times the condition of the information.
FORMULA = 1e-10
# At the maximum the gradient is rounding of a sum of n terms.
ZERO = 1e-8

N, P = 60, 3
RNG = np.random.default_rng(4)
X = np.column_stack([np.ones(N), RNG.uniform(-1.0, 1.0, (N, P - 1))])
# Whole numbers: the log-density of a binomial counts successes, which R rounds.
WEIGHTS = RNG.integers(1, 4, N).astype(float)
OFFSET = RNG.uniform(-0.2, 0.2, N)
ETA = X @ [0.6, 0.5, -0.4] + OFFSET
POSITIVE = 1.6 + X[:, 1:] @ [0.4, -0.3]
BINARY = (RNG.uniform(size=N) < 1.0 / (1.0 + np.exp(-ETA))).astype(float)
COUNTS = RNG.poisson(np.exp(ETA)).astype(float)

#: family, link, response; the first four links are canonical.
CASES: dict[str, tuple[Any, Any, np.ndarray]] = {
    "gaussian": ("gaussian", None, ETA + RNG.normal(size=N)),
    "poisson": ("poisson", None, COUNTS),
    "logit": ("binomial", None, BINARY),
    "gamma inverse": ("gamma", None, RNG.gamma(4.0, 1.0 / POSITIVE / 4.0)),
    "probit": ("binomial", "probit", BINARY),
    "cloglog": ("binomial", "cloglog", BINARY),
    "gamma log": ("gamma", "log", RNG.gamma(4.0, np.exp(ETA) / 4.0)),
    "poisson sqrt": ("poisson", "sqrt", RNG.poisson(POSITIVE**2).astype(float)),
    "inverse gaussian log": ("inverse_gaussian", "log", RNG.wald(np.exp(ETA), 5.0)),
    "negative binomial": (families.negative_binomial(2.0), None, COUNTS),
    "gamma power": ("gamma", links.power(0.5), RNG.gamma(4.0, POSITIVE**2 / 4.0)),
}
CANONICAL = ("gaussian", "poisson", "logit")
# A canonical link, one with observed information, one whose starts are chosen inside the program, a parameter.
COMPILED = ("gaussian", "poisson", "probit", "gamma inverse", "negative binomial")
# A canonical link and two others.
DIFFERENTIATED = ("poisson", "probit", "gamma log")
ARGUMENTS = ("X", "y", "weights", "offset")


def data(case: str) -> dict[str, np.ndarray]:
    return {"X": X, "y": CASES[case][2], "weights": WEIGHTS, "offset": OFFSET}


def glm(case: str, X: Any, y: Any, weights: Any, offset: Any, **options: Any) -> iso.functional.FunctionalFit:
    family, link, _ = CASES[case]
    return iso.functional.glm(X, y, family=family, link=link, weights=weights, offset=offset, **options)


def reference(case: str) -> iso.Fit:
    family, link, y = CASES[case]
    return iso.fit_glm(X, y, family=family, link=link, weights=WEIGHTS, offset=OFFSET, intercept=False, engine="numpy")


def close(found: Any, expected: Any, tolerance: float, name: str = "") -> None:
    found, expected = np.asarray(iso.to_numpy(found)), np.asarray(iso.to_numpy(expected))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=name)


# -------------------------------------------------------------------------------- the same as fit_glm

MAKERS = {"numpy": np.asarray, "torch": torch.tensor, "jax": jnp.asarray, "strict": strict.asarray}


def check_same(fit: iso.functional.FunctionalFit, case: str) -> None:
    expected = reference(case)
    close(fit.coef, expected.coef, SAME, "coef")
    close(fit.vcov, expected.vcov, SAME, "vcov")
    close(fit.deviance, expected.deviance, SAME, "deviance")
    close(fit.loglik, expected.loglik, SAME, "loglik")


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("case", CASES)
def test_the_pure_form_is_the_fit(case: str, library: str) -> None:
    given = {name: MAKERS[library](a) for name, a in data(case).items()}
    fit = glm(case, **given)
    check_same(fit, case)
    for result in fit:
        assert type(result) is type(given["X"]) or library == "numpy"
        assert result.dtype == given["X"].dtype
    assert tuple(fit.vcov.shape) == (P, P)
    assert tuple(fit.loglik.shape) == ()


@pytest.mark.parametrize("case", COMPILED)
def test_the_whole_fit_compiles(case: str) -> None:
    given = {name: jnp.asarray(a) for name, a in data(case).items()}
    check_same(jax.jit(lambda given: glm(case, **given))(given), case)
    program = str(jax.make_jaxpr(lambda given: glm(case, **given))(given))
    assert " while[" in program


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_a_fixed_number_of_iterations_ends_at_the_same_point(library: str) -> None:
    given = {name: MAKERS[library](a) for name, a in data("probit").items()}
    check_same(glm("probit", **given, n_iter=25), "probit")


def test_without_weights_and_offset() -> None:
    y = CASES["poisson"][2]
    expected = iso.fit_glm(X, y, family="poisson", intercept=False)
    fit = jax.jit(lambda X, y: iso.functional.glm(X, y, family="poisson"))(jnp.asarray(X), jnp.asarray(y))
    close(fit.coef, expected.coef, SAME)
    close(fit.loglik, expected.loglik, SAME)


def test_float32_stays_float32() -> None:
    given = {name: jnp.asarray(a.astype(np.float32)) for name, a in data("poisson").items()}
    fit = jax.jit(lambda given: glm("poisson", **given))(given)
    assert {str(result.dtype) for result in fit} == {"float32"}
    # Seven digits, of which the normal equations cost up to three.
    close(fit.coef, reference("poisson").coef, 1e-4)


# -------------------------------------------------------------------------------------------- vmap

MANY = RNG.uniform(0.5, 2.0, (4, N))


def each(case: str) -> np.ndarray:
    family, link, y = CASES[case]
    options = {"family": family, "link": link, "offset": OFFSET, "intercept": False}
    return np.stack([iso.fit_glm(X, y, weights=w, **options).coef for w in MANY])


@pytest.mark.parametrize("case", ["poisson", "probit"])
def test_jax_maps_over_weights(case: str) -> None:
    given = {name: jnp.asarray(a) for name, a in data(case).items()}
    compiled = jax.jit(jax.vmap(lambda w: glm(case, **{**given, "weights": w}).coef))(jnp.asarray(MANY))
    close(compiled, each(case), SAME)


@pytest.mark.parametrize("case", ["poisson", "probit", "gamma log"])
def test_torch_maps_over_weights_at_a_fixed_number_of_iterations(case: str) -> None:
    given = {name: torch.tensor(a) for name, a in data(case).items()}
    many = torch.func.vmap(lambda w: glm(case, **{**given, "weights": w}, n_iter=25).coef)(torch.tensor(MANY))
    close(many, each(case), SAME)


def test_torch_cannot_map_over_a_loop_whose_length_depends_on_data() -> None:
    given = {name: torch.tensor(a) for name, a in data("poisson").items()}
    with pytest.raises(iso.errors.UnsupportedError) as caught:
        torch.func.vmap(lambda w: glm("poisson", **{**given, "weights": w}).coef)(torch.tensor(MANY))
    assert str(caught.value) == (
        "[unsupported] a loop with a stopping rule on traced torch arrays is not supported: the namespace cannot "
        "branch on values that do not exist yet; use a fixed number of iterations: n_iter="
    )


# ------------------------------------------------------------------------------------- derivatives


def interior(case: str) -> dict[str, np.ndarray]:
    """The data with responses inside their range, so that a step in one of them stays there."""
    inside = {"poisson": COUNTS + 0.5, "negative binomial": COUNTS + 0.5, "probit": 0.1 + 0.8 * BINARY}
    return {**data(case), "y": inside.get(case, CASES[case][2])}


def differences(case: str, argument: str, places: list[tuple[int, ...]]) -> np.ndarray:
    """Central differences of the coefficients in single elements of an argument."""
    slopes = []
    for place in places:
        up, down = interior(case)[argument].copy(), interior(case)[argument].copy()
        up[place] += STEP
        down[place] -= STEP
        both = [glm(case, **{**interior(case), argument: a}).coef for a in (up, down)]
        slopes.append((both[0] - both[1]) / (2 * STEP))
    return np.stack(slopes, axis=1)


def places_of(argument: str) -> list[tuple[int, ...]]:
    return [(0, 0), (7, 1), (31, 2)] if argument == "X" else [(0,), (7,), (31,)]


@pytest.mark.parametrize("case", DIFFERENTIATED)
def test_coefficients_are_differentiable_in_every_argument(case: str) -> None:
    arguments = tuple(interior(case)[name] for name in ARGUMENTS)
    jacobians = {
        "jax": jax.jit(jax.jacrev(lambda *given: glm(case, *given).coef, argnums=(0, 1, 2, 3)))(
            *(jnp.asarray(a) for a in arguments)
        ),
        "torch": torch.autograd.functional.jacobian(
            lambda *given: glm(case, *given).coef, tuple(torch.tensor(a) for a in arguments)
        ),
    }
    for position, argument in enumerate(ARGUMENTS):
        places = places_of(argument)
        expected = differences(case, argument, places)
        for library, jacobian in jacobians.items():
            slopes = iso.to_numpy(jacobian[position])
            found = np.stack([slopes[(slice(None), *place)] for place in places], axis=1)
            close(found, expected, DIFFERENCES, f"{library} {argument}")


def test_implicit_differentiation_gives_the_textbook_formulas() -> None:
    """Poisson: d beta/d y = H⁻¹X'W, d beta/d offset = -H⁻¹X'W diag(mu), d beta/d w_i = H⁻¹x_i (y_i - mu_i)."""
    given = {name: jnp.asarray(a) for name, a in data("poisson").items()}
    y, mu = CASES["poisson"][2], reference("poisson").fitted
    inverse = np.linalg.inv(X.T @ (X * (WEIGHTS * mu)[:, None]))
    formulas = {
        "y": inverse @ (X * WEIGHTS[:, None]).T,
        "offset": -inverse @ (X * (WEIGHTS * mu)[:, None]).T,
        "weights": inverse @ (X * (y - mu)[:, None]).T,
    }
    for argument, expected in formulas.items():
        transform = jax.jacfwd if argument == "offset" else jax.jacrev
        coef = transform(lambda a, name=argument: glm("poisson", **{**given, name: a}).coef)
        found = jax.jit(coef)(given[argument])
        close(found, expected, FORMULA, argument)


@pytest.mark.parametrize("case", DIFFERENTIATED)
def test_the_gradient_of_the_log_likelihood(case: str) -> None:
    """Of the maximum itself, against central differences of whole fits."""
    given = {name: jnp.asarray(a) for name, a in data(case).items()}

    def value(offset: Any) -> Any:
        return glm(case, **{**given, "offset": offset}).loglik

    slope = np.asarray(jax.jit(jax.grad(value))(given["offset"]))
    for place in (0, 7, 31):
        up, down = OFFSET.copy(), OFFSET.copy()
        up[place] += STEP
        down[place] -= STEP
        both = [float(glm(case, **{**data(case), "offset": o}).loglik) for o in (up, down)]
        close(slope[place], (both[0] - both[1]) / (2 * STEP), DIFFERENCES)


@pytest.mark.parametrize("case", ["poisson", "probit"])
def test_second_derivatives(case: str) -> None:
    given = {name: jnp.asarray(a) for name, a in data(case).items()}
    direction = jnp.asarray(RNG.normal(size=N))

    def along(t: Any) -> Any:
        return glm(case, **{**given, "offset": given["offset"] + t[0] * direction}).coef[1] + 0.5 * t[0] * t[1]

    hessian = np.asarray(jax.jit(jax.hessian(along))(jnp.zeros(2)))
    h = 1e-3
    coef = [
        glm(case, **{**data(case), "offset": OFFSET + t * np.asarray(direction)}).coef
        for t in (-2 * h, -h, 0.0, h, 2 * h)
    ]
    values = [float(c[1]) for c in coef]
    fourth = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * h * h)
    # Five points of step 1e-3: h⁴ by truncation, 1e-15/h² by rounding.
    close(hessian[0, 0], fourth, 1e-7)
    close(hessian[0, 1], 0.5, FORMULA)


@pytest.mark.parametrize("case", ["poisson", "gamma log"])
def test_torch_passes_its_own_check_of_gradients(case: str) -> None:
    tensors = {name: torch.tensor(a[:8]) for name, a in data(case).items()}
    free = tuple(tensors[name].clone().requires_grad_() for name in ("X", "weights", "offset"))

    def coef(X: Any, weights: Any, offset: Any) -> Any:
        return glm(case, X, tensors["y"], weights, offset).coef

    # Differences of step 1e-6 in double precision.
    assert torch.autograd.gradcheck(coef, free, eps=1e-6, atol=1e-5, rtol=1e-4)


def test_torch_backward_through_coefficients() -> None:
    tensors = {name: torch.tensor(a) for name, a in data("poisson").items()}
    tensors["weights"].requires_grad_()
    glm("poisson", **tensors).coef.sum().backward()
    given = {name: jnp.asarray(a) for name, a in data("poisson").items()}
    expected = jax.grad(lambda w: glm("poisson", **{**given, "weights": w}).coef.sum())(given["weights"])
    close(tensors["weights"].grad, expected, FORMULA)


# ------------------------------------------------------------------------------------- loglik_at


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_likelihood_at_the_coefficients_is_that_of_the_fit_and_stationary(case: str, library: str) -> None:
    family, link, _ = CASES[case]
    given = {name: MAKERS[library](a) for name, a in data(case).items()}
    fit = iso.fit_glm(
        given["X"], given["y"], family=family, link=link, weights=given["weights"], offset=given["offset"],
        intercept=False,
    )  # fmt: skip
    close(fit.loglik_at(fit.coef), fit.loglik, FORMULA)
    if library == "jax":
        gradient = jax.grad(fit.loglik_at)(fit.coef)
    else:
        coef = fit.coef.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(fit.loglik_at(coef), coef)
    close(gradient, np.zeros(P), ZERO)


@pytest.mark.parametrize("case", CANONICAL)
def test_the_hessian_of_a_canonical_link_is_minus_the_information(case: str) -> None:
    family, link, _ = CASES[case]
    given = {name: jnp.asarray(a) for name, a in data(case).items()}
    fit = iso.fit_glm(
        given["X"], given["y"], family=family, link=link, weights=given["weights"], offset=given["offset"],
        intercept=False,
    )  # fmt: skip
    # The Gaussian's dispersion in the likelihood is that of maximum likelihood, in the covariance Pearson's.
    scale = fit.deviance / N / fit.dispersion if case == "gaussian" else 1.0
    expected = -np.linalg.inv(np.asarray(fit.vcov)) / scale
    close(jax.hessian(fit.loglik_at)(fit.coef), expected, SAME)
    tensors = {name: torch.tensor(a) for name, a in data(case).items()}
    fit = iso.fit_glm(
        tensors["X"], tensors["y"], family=family, link=link, weights=tensors["weights"], offset=tensors["offset"],
        intercept=False,
    )  # fmt: skip
    close(torch.autograd.functional.hessian(fit.loglik_at, fit.coef), expected, SAME)


# --------------------------------------------------------------------------- what the pure form refuses


def refusal(call: Any) -> str:
    with pytest.raises(iso.IsostatError) as caught:
        call()
    return str(caught.value)


def test_open_parameters_are_refused() -> None:
    assert refusal(lambda: iso.functional.glm(X, COUNTS, family="negative_binomial")) == (
        '[unsupported] family "negative_binomial" without theta= is not supported: the pure form estimates '
        "coefficients only; give it: isostat.families.negative_binomial(theta=…), or use fit_glm"
    )
    assert refusal(lambda: iso.functional.glm(X, COUNTS, family="tweedie")) == (
        '[unsupported] family "tweedie" without power= is not supported: the pure form estimates coefficients only; '
        "give it: isostat.families.tweedie(power=…), or use fit_glm"
    )


def test_shapes_are_checked_under_tracing() -> None:
    text = refusal(lambda: jax.jit(lambda X, y: iso.functional.glm(X, y))(jnp.asarray(X), jnp.ones(N - 1)))
    assert text == "[shape] functional.glm: `y` must have length 60, one value for each row of `X`, got length 59"
    text = refusal(lambda: jax.jit(lambda X, y: iso.functional.glm(X, y))(jnp.ones(N), jnp.ones(N)))
    assert text == "[shape] functional.glm: `X` must have two dimensions (rows, columns), got shape [60]"


def test_options_are_checked() -> None:
    given = (X, COUNTS)
    assert refusal(lambda: iso.functional.glm(*given, tol=0.0)) == (
        "[domain] functional.glm: `tol` must be positive and finite, got 0"
    )
    assert refusal(lambda: iso.functional.glm(*given, max_iter=0)) == (
        "[domain] functional.glm: `max_iter` must be at least 1, got 0"
    )
    assert refusal(lambda: iso.functional.glm(*given, n_iter=0)) == (
        "[domain] functional.glm: `n_iter` must be at least 1, got 0"
    )
    assert refusal(lambda: iso.functional.glm(*given, family=families.negative_binomial(-1.0))) == (
        "[domain] functional.glm: `theta` must be positive and finite, got -1"
    )


def test_traced_arrays_are_sent_to_the_pure_form() -> None:
    text = refusal(lambda: jax.jit(lambda X, y: iso.fit_glm(X, y).coef)(jnp.asarray(X), jnp.asarray(COUNTS)))
    assert text == (
        "[unsupported] fit_glm on traced arrays is not supported: its checks and its status need values; "
        "use isostat.functional.glm under jit, grad and vmap"
    )


def test_values_are_not_checked() -> None:
    """Traced arrays have none: a missing value comes out as NaN, as the documentation says."""
    X_bad = X.copy()
    X_bad[3, 1] = np.nan
    fit = jax.jit(lambda X, y: iso.functional.glm(X, y, family="poisson"))(jnp.asarray(X_bad), jnp.asarray(COUNTS))
    assert np.isnan(np.asarray(fit.coef)).all()


@pytest.mark.parametrize("family", ["quasipoisson", families.quasi("mu", "log")])
def test_quasi_families_have_no_likelihood(family: Any) -> None:
    fit = jax.jit(lambda X, y: iso.functional.glm(X, y, family=family))(jnp.asarray(X), jnp.asarray(COUNTS))
    assert math.isnan(float(fit.loglik))
    expected = iso.fit_glm(X, COUNTS, family=family, intercept=False)
    close(fit.coef, expected.coef, SAME)
    close(fit.vcov, expected.vcov, SAME)


def test_tweedie_has_its_coefficients_and_no_likelihood() -> None:
    """Its dispersion is searched for and its series is as long as the values need: a traced program has no values."""
    masses = np.array([RNG.gamma(2.0, m / 2.0, k).sum() for m, k in zip(np.exp(ETA), RNG.poisson(1.5, N), strict=True)])
    family = families.tweedie(1.5)
    fit = jax.jit(lambda X, y: iso.functional.glm(X, y, family=family, link="log"))(jnp.asarray(X), jnp.asarray(masses))
    expected = iso.fit_glm(X, masses, family=family, link="log", intercept=False)
    close(fit.coef, expected.coef, SAME)
    close(fit.vcov, expected.vcov, SAME)
    assert math.isnan(float(fit.loglik))


@pytest.mark.parametrize("library", ["torch", "jax", "strict"])
def test_the_likelihood_of_tweedie_at_its_coefficients(library: str) -> None:
    masses = np.array([RNG.gamma(2.0, m / 2.0, k).sum() for m, k in zip(np.exp(ETA), RNG.poisson(1.5, N), strict=True)])
    make = MAKERS[library]
    # Large responses in small units: a series of hundreds of terms.
    fit = iso.fit_glm(make(X), make(1e4 * masses), family=families.tweedie(1.2), intercept=False)
    close(fit.loglik_at(fit.coef), fit.loglik, FORMULA)


@pytest.mark.parametrize("kind", ["precision", "frequency"])
def test_the_likelihood_counts_rows_as_the_fit_does(kind: str) -> None:
    y = CASES["gamma log"][2]
    fit = iso.fit_glm(X, y, family="gamma", link="log", weights=WEIGHTS, weights_kind=kind, intercept=False)
    close(fit.loglik_at(fit.coef), fit.loglik, FORMULA)
