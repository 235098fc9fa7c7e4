"""The GLM cases of R: every fit by formula and by arrays, within the tolerances of the index."""

from __future__ import annotations

import json
import re
import warnings
from fractions import Fraction
from pathlib import Path

import isostat as iso
import mpmath
import numpy as np
import pandas as pd
import pytest
from isostat.errors import ConvergenceWarning

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "r"
INDEX = {entry["id"]: entry for entry in json.loads((REFERENCE / "index.json").read_text())}
# R's answers where its own stopping rule leaves them short of the tolerance: R, iterated until nothing moves.
CONVERGED = json.loads((REFERENCE / "converged.json").read_text())
BEHAVIOUR = [key for key, entry in INDEX.items() if entry["tol_rel"].get("note") == "behaviour only"]
CASES = [key for key in INDEX if key not in BEHAVIOUR]

# R's coefficient is a difference of rounded numbers where it is this small against its standard error: the error
# of such a one is measured in standard errors.
ZERO_IN_SE = 1e-8
# Alias relations of whole columns are small rationals.
RELATION = 1e-9

FAMILIES = {
    "gaussian": "gaussian",
    "binomial": "binomial",
    "poisson": "poisson",
    "Gamma": "gamma",
    "inverse.gaussian": "inverse_gaussian",
    "quasi": "quasi",
    "quasibinomial": "quasibinomial",
    "quasipoisson": "quasipoisson",
    "negative.binomial": "negative_binomial",
}


# -- R's call, read --------------------------------------------------------------------------------------------


def arguments(call: str) -> tuple[str, list[str], dict[str, str]]:
    """Split ``name(a, b, key = value)`` at the commas outside all brackets."""
    name, inside = re.fullmatch(r"([\w.]+)\((.*)\)", call.strip(), re.DOTALL).groups()
    parts, depth, start = [], 0, 0
    for position, character in enumerate(inside):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(inside[start:position])
            start = position + 1
    parts.append(inside[start:])
    given = [p.strip() for p in parts if p.strip()]
    keyed = dict(re.fullmatch(r"(\w+) *= *(.*)", p, re.DOTALL).groups() for p in given if re.match(r"\w+ *= *[^=]", p))
    return name, [p for p in given if not re.match(r"\w+ *= *[^=]", p)], keyed


def family_of(name: str, keyed: dict[str, str]):
    """R's ``family = …`` as isostat's family and link."""
    if name == "glm.nb":
        return "negative_binomial", None
    family, _, options = arguments(keyed["family"])
    link = options.get("link", "").strip('"').replace("1/mu^2", "inverse_square") or None
    if family == "quasi":
        return iso.families.quasi(variance=options["variance"].strip('"'), link=link), None
    if family == "negative.binomial":
        return iso.families.negative_binomial(theta=float(options["theta"])), link
    return FAMILIES[family], link


def table(case: dict) -> pd.DataFrame:
    """The data of a case, factors with R's levels in R's order."""
    factors = {name: c for name, c in case["columns"].items() if c["type"] in ("factor", "ordered")}
    data = pd.read_csv(REFERENCE / case["data"], dtype=dict.fromkeys(factors, str), na_values="NA")
    for name, column in factors.items():
        data[name] = pd.Categorical(data[name], column["levels"], ordered=column["type"] == "ordered")
    kept = re.search(r'subset\(d, (\w+) != "(\w+)"\)', case["r_call"])
    return data if kept is None else data[data[kept[1]] != kept[2]].reset_index(drop=True)


def read(key: str) -> dict:
    return json.loads((REFERENCE / "cases" / f"{key}.json").read_text())


def options_of(keyed: dict[str, str], data: pd.DataFrame) -> dict:
    """Weights by name where they are a column, else evaluated; start values."""
    options = {}
    if "weights" in keyed:
        text = keyed["weights"]
        options["weights"] = text if text in data.columns else data.eval(text).to_numpy()
    if "start" in keyed:
        options["start"] = [float(v) for v in keyed["start"].removeprefix("c(").removesuffix(")").split(",")]
    return options


def answers(case: dict) -> tuple[dict, dict]:
    """R's answers and their tolerances: converged ones replace those that R's stopping rule left short."""
    # The negative binomial cases name fewer quantities: what is of length n goes with the fitted values.
    tol, result = INDEX[case["id"]]["tol_rel"], case["result"]
    tol = {"residuals": tol["fitted"], "predict": tol["fitted"], **tol}
    if case["id"] == "hard_big_counts_poisson":
        return {**result, **exact_deviance_residuals(result)}, tol
    if case["id"] not in CONVERGED:
        return result, tol
    better = dict(CONVERGED[case["id"]])
    if "coef" not in better:
        return {**result, **better}, tol
    p = len(result["coef"])
    b, s, z = numbers(better["coef"]), numbers(better["se"]), 1.959963984540054
    better["vcov"] = np.reshape(better["vcov"], (p, p)).tolist()
    better["stat"] = (b / s).tolist()
    better["confint_wald95"] = np.stack([b - z * s, b + z * s], axis=1).tolist()
    # The index widens coefficients by what R's stopping rule left open: here it left nothing.
    return {**result, **better}, {**tol, "coef": tol["fitted"]}


def exact_deviance_residuals(result: dict) -> dict:
    """Poisson deviance residuals of R's means in 40 digits, and what R makes of them: at 1e6 counts doubles cancel."""
    mpmath.mp.dps = 40
    d = []
    for y, mu in zip(result["response"], result["fitted"], strict=True):
        y, mu = mpmath.mpf(y), mpmath.mpf(mu)
        d.append(float(mpmath.sign(y - mu) * mpmath.sqrt(2 * (y * mpmath.log(y / mu) - (y - mu)))))
    d, h, pearson = np.array(d), numbers(result["hat"]), numbers(result["resid_pearson"])
    student = np.sign(d) * np.sqrt(d**2 + h * pearson**2 / (1 - h))
    return {"resid_deviance": d, "rstandard_deviance": d / np.sqrt(1 - h), "rstudent": student}


def exact_least_squares(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and fitted values of least squares in rational arithmetic."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    p, response = len(rows[0]), [Fraction(float(v)) for v in y]
    system = [
        [sum(row[a] * row[b] for row in rows) for b in range(p)]
        + [sum(row[a] * v for row, v in zip(rows, response, strict=True))]
        for a in range(p)
    ]
    for c in range(p):
        system[c] = [v / system[c][c] for v in system[c]]
        for r in range(p):
            if r != c:
                system[r] = [v - system[r][c] * w for v, w in zip(system[r], system[c], strict=True)]
    coef = [row[p] for row in system]
    fitted = [float(sum(b * x for b, x in zip(coef, row, strict=True))) for row in rows]
    return np.array([float(b) for b in coef]), np.array(fitted)


def by_formula(case: dict):
    name, (formula, *_), keyed = arguments(case["r_call"])
    family, link = family_of(name, keyed)
    data = table(case)
    na = "drop" if "dropped_rows_1based" in case["result"] else "raise"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return iso.glm(formula, data, family=family, link=link, na=na, **options_of(keyed, data))


def numbers(values) -> np.ndarray:
    """JSON numbers: null is NaN, infinities are strings."""
    return np.array([np.nan if v is None else float(v) for v in values])


def matrix(rows) -> np.ndarray:
    return np.stack([numbers(row) for row in rows])


def by_arrays(case: dict, intercept: bool = False):
    name, _, keyed = arguments(case["r_call"])
    family, link = family_of(name, keyed)
    result = case["result"]
    X, names = matrix(result["model_matrix"]), result["coef_names"]
    if intercept:
        X, names = X[:, 1:], names[1:]
    offset = None if result["offset"] is None else numbers(result["offset"])
    start = options_of(keyed, table(case)).get("start")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return iso.fit_glm(
            X, numbers(result["response"]), family=family, link=link, weights=numbers(result["prior_weights"]),
            offset=offset, intercept=intercept, coef_names=names, start=start,
        )  # fmt: skip


# -- comparison ------------------------------------------------------------------------------------------------


def coef_tolerance(tol: dict, coef: np.ndarray, se: np.ndarray) -> np.ndarray:
    """Absolute tolerance of each coefficient: relative, or in standard errors where the index says so."""
    if "coef_in_se" in tol:
        return tol["coef_in_se"] * se
    rule = tol["coef"]
    if isinstance(rule, str):
        return float(re.fullmatch(r"compare \|diff\| <= (\S+) \* se", rule)[1]) * se
    return rule * np.where(np.abs(coef) < ZERO_IN_SE * se, se, np.abs(coef))


def close(what: str, ours, theirs, tolerance) -> None:
    """Every element within its absolute tolerance, NaN where R has NA."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, what
    assert np.array_equal(np.isnan(ours), np.isnan(theirs)), f"{what}: {ours} against {theirs}"
    off = np.nan_to_num(np.abs(ours - theirs) - tolerance)
    worst = np.unravel_index(np.argmax(off), off.shape) if off.ndim else ()
    assert np.all(off <= 0), f"{what}{list(worst)}: {ours[worst]!r} against {theirs[worst]!r}"


def relative(what: str, ours, theirs, tol: float) -> None:
    close(what, ours, theirs, tol * np.abs(np.asarray(theirs, dtype=float)))


def check_coefficients(fit, result: dict, tol: dict) -> None:
    coef, se = numbers(result["coef"]), numbers(result["se"])
    allowed = coef_tolerance(tol, coef, se)
    assert list(fit.coef_names) == result["coef_names"]
    close("coef", fit.coef, coef, allowed)
    se_allowed = tol.get("coef_in_se", tol["se"]) * se
    close("se", fit.stderr, se, se_allowed)
    close("confint", fit.confint(0.95), matrix(result["confint_wald95"]), (allowed + 2 * se_allowed)[:, None])
    assert f"{fit.statistic_kind} value" == result["stat_kind"]
    stat = numbers(result["stat"])
    close("statistic", fit.statistic, stat, allowed / se + np.abs(stat) * se_allowed / se)
    known = ~np.isnan(se)
    close(
        "vcov",
        fit.vcov[np.ix_(known, known)],
        matrix(result["vcov"]),
        2 * np.outer(se_allowed, se)[np.ix_(known, known)],
    )


def check_scalars(fit, result: dict, tol: dict) -> None:
    relative("deviance", fit.deviance, result["deviance"], tol["deviance"])
    relative(
        "dispersion",
        fit.dispersion,
        result["dispersion_summary"],
        tol["fitted"],
    )
    for name, key in (("loglik", "loglik"), ("aic", "aic"), ("bic", "bic")):
        theirs = np.nan if result[key] is None else result[key]
        relative(name, getattr(fit, name), theirs, tol["loglik"])
    if result["loglik"] is not None:
        assert fit.n_parameters == result["loglik_df"]
    assert fit.n_obs == result["n_obs"]
    assert fit.dof_residual == result["df_residual"]
    assert fit.rank == result["rank"]


def check_rows(fit, result: dict, tol: dict) -> None:
    fitted = numbers(result["fitted"])
    # A mean on the whole line may cross 0: its error is measured by the spread of all.
    size = np.abs(fitted) if fit.link != "identity" else np.maximum(np.abs(fitted), fitted.std())
    close("fitted", fit.fitted, fitted, tol["fitted"] * size)
    eta = numbers(result["linear_predictor"])
    # Where the linear predictor crosses 0 its error is that of its terms.
    close("linear_predictor", fit.linear_predictor, eta, tol["fitted"] * np.maximum(np.abs(eta), np.abs(eta).max()))
    for kind in ("deviance", "pearson", "working", "response"):
        theirs = numbers(result[f"resid_{kind}"])
        # A residual near 0 is a difference of rounded numbers: its error is measured by the largest.
        close(f"{kind} residuals", fit.residuals(kind), theirs, tol["residuals"] * np.abs(theirs).max())
    for name, key in (("leverage", "hat"), ("cooks_distance", "cooks_distance"), ("rstandard", "rstandard_deviance"),
                      ("rstudent", "rstudent")):  # fmt: skip
        theirs = numbers(result[key])
        # R's influence measures leave out rows of weight 0.
        ours = getattr(fit, name)[numbers(result["prior_weights"]) > 0]
        close(name, ours, theirs, tol["residuals"] * np.nanmax(np.abs(theirs)))


def check_theta(fit, result: dict, tol: dict) -> None:
    if "theta" in result:
        relative("theta", fit.theta, result["theta"], tol["theta"])
        relative("theta_stderr", fit.theta_stderr, result["theta_se"], tol["se"])
        relative("2 loglik", 2 * fit.loglik, result["twologlik"], tol["loglik"])


def check_prediction(fit, result: dict, tol: dict, columns: dict) -> None:
    given = result["predict"]
    new = pd.DataFrame({k: v if isinstance(v, list) else [v] for k, v in given["newdata"].items()})
    for name in new.columns:
        if columns[name]["type"] in ("factor", "ordered"):
            new[name] = pd.Categorical(
                new[name].astype(str), columns[name]["levels"], ordered=columns[name]["type"] == "ordered"
            )
    for scale in ("link", "response"):
        ours = fit.predict(new, type=scale, se=True)
        theirs, error = numbers(given[scale]), numbers(given[f"{scale}_se"])
        close(scale, ours.fit, theirs, tol["predict"] * np.maximum(np.abs(theirs), error))
        relative(f"{scale} se", ours.se, error, tol["predict"])
        close(scale, fit.predict(new, type=scale), ours.fit, 0.0)


@pytest.mark.parametrize("key", CASES)
def test_formula(key):
    case = read(key)
    result, tol = answers(case)
    fit = by_formula(case)
    assert fit.status == "converged"
    check_coefficients(fit, result, tol)
    check_scalars(fit, result, tol)
    relative("null deviance", fit.null_deviance, result["null_deviance"], tol["deviance"])
    assert fit.dof_null == result["df_null"]
    check_rows(fit, result, tol)
    check_theta(fit, result, tol)
    close("model matrix", fit.model_matrix(), matrix(result["model_matrix"]), 1e-12)
    if "predict" in result:
        check_prediction(fit, result, tol, case["columns"])


@pytest.mark.parametrize("key", CASES)
def test_arrays(key):
    case = read(key)
    result, tol = answers(case)
    fit = by_arrays(case)
    assert fit.status == "converged"
    check_coefficients(fit, result, tol)
    check_scalars(fit, result, tol)
    check_rows(fit, result, tol)
    check_theta(fit, result, tol)
    if result["coef_names"][0] == "(Intercept)":
        fit = by_arrays(case, intercept=True)
        check_coefficients(fit, result, tol)
    relative("null deviance", fit.null_deviance, result["null_deviance"], tol["deviance"])
    assert fit.dof_null == result["df_null"]


def test_near_collinear_exactly():
    """Against rational arithmetic: the index allows fitted values 1e-8 and coefficients 1e-3 standard errors."""
    case = read("hard_near_collinear_gaussian")
    tol = INDEX[case["id"]]["tol_rel"]
    coef, fitted = exact_least_squares(matrix(case["result"]["model_matrix"]), numbers(case["result"]["response"]))
    for fit in (by_formula(case), by_arrays(case)):
        relative("fitted", fit.fitted, fitted, tol["fitted"])
        close("coef", fit.coef, coef, tol["coef_in_se"] * numbers(case["result"]["se"]))
        assert any("condition" in note for note in fit.evidence.notes)


def test_aliased_columns_are_named():
    case = read("glm_gaussian_aliased_mtcars")
    for fit in (by_formula(case), by_arrays(case)):
        flags = dict(zip(case["result"]["coef_names"], case["result"]["aliased"], strict=True))
        assert fit.aliased == [name for name, flag in flags.items() if flag] == ["I(2 * wt)", "I(wt + hp)"]
        expected = {"I(2 * wt)": {"wt": 2.0}, "I(wt + hp)": {"wt": 1.0, "hp": 1.0}}
        for name, relation in expected.items():
            ours = fit.alias_relations[name]
            for column in set(ours) | set(relation):
                assert ours.get(column, 0.0) == pytest.approx(relation.get(column, 0.0), abs=RELATION)


# The reference is the behaviour: where R warns or ends far out, the status says why, and the message names columns.
ENDINGS = {
    "glm_logit_separation_iris": ("separation", {"(Intercept)", "Sepal.Length", "Petal.Length"}),
    "glm_logit_quasisep_birthwt": ("quasi_separation", {"(Intercept)", "gearf4", "gearf5"}),
    "hard_all_zero_poisson": ("infinite_mle", {"(Intercept)"}),
}


@pytest.mark.parametrize("key", BEHAVIOUR)
@pytest.mark.parametrize("entrance", ["formula", "arrays"])
def test_behaviour(key, entrance):
    case = read(key)
    status, columns = ENDINGS[key]
    fit = by_formula(case) if entrance == "formula" else by_arrays(case)
    assert fit.status == status
    assert not fit.converged
    told = " ".join(fit.remarks)
    for name in columns:
        assert name in told
    # No Wald error is printed for an infinite coefficient.
    assert all(np.isnan(fit.stderr[fit.coef_names.index(name)]) for name in columns)
