"""What a fit tells, beside R's cases: summary, files, pickles, analysis of deviance, hypotheses, evidence."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import isostat as iso
import numpy as np
import pandas as pd
import pytest
from isostat.errors import DomainError, ShapeError, UnknownColumnError
from tables import SAME, equal, small

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "r"
SHIPS = "incidents ~ type + year + period + offset(log(service))"

# R's analysis of deviance, two fits at their own stopping rules; p-values amplify the statistic's error.
ANOVA = 1e-8
ANOVA_P = 1e-6


def ships() -> pd.DataFrame:
    return pd.read_csv(REFERENCE / "data" / "ships.csv", dtype={"type": str, "year": str, "period": str})


def case(key: str) -> dict:
    return json.loads((REFERENCE / "cases" / f"{key}.json").read_text())


# -- summary ---------------------------------------------------------------------------------------------------

SUMMARY = """\
Generalised linear model: family poisson, link log
34 rows

               Estimate  Std. error  z value   Pr(>|z|)
(Intercept)     -6.4059    0.217444  -29.460     <2e-16
typeB         -0.543344     0.17759   -3.060   0.002217
typeC         -0.687402    0.329047   -2.089     0.0367
typeD        -0.0759614    0.290579   -0.261     0.7938
typeE          0.325579    0.235879    1.380     0.1675
year65          0.69714    0.149641    4.659  3.181e-06
year70         0.818427    0.169774    4.821  1.431e-06
year75         0.453427     0.23317    1.945    0.05182
period75       0.384467    0.118272    3.251   0.001151

Covariance: inverse expected information
Dispersion: 1 (known)
Null deviance:          146.328 on 33 degrees of freedom
Residual deviance:      38.6951 on 25 degrees of freedom
Log-likelihood: -68.280771   AIC: 154.5615   BIC: 168.2988
Status: converged after 5 iterations on engine fused"""


def test_summary_of_the_ships():
    fit = iso.glm(SHIPS, ships(), family="poisson")
    assert fit.summary() == SUMMARY
    assert repr(fit) == SUMMARY
    # The numbers of the text are R's.
    result = case("glm_poisson_ships_offset")["result"]
    table = [line.split() for line in SUMMARY.splitlines()[4:13]]
    for row, b, s, z in zip(table, result["coef"], result["se"], result["stat"], strict=True):
        assert row[1:4] == [f"{b:.6g}", f"{s:.6g}", f"{z:.3f}"]
    assert f"AIC: {result['aic']:.4f}   BIC: {result['bic']:.4f}" in SUMMARY


def test_summary_says_what_is_estimated():
    d = small()
    fit = iso.glm("y ~ x", d, family="quasipoisson")
    text = fit.summary()
    assert f"Dispersion: {fit.dispersion:.6g} (Pearson, estimated)" in text
    assert "Log-likelihood: none (quasi family)" in text
    assert "t value" in text


# -- files and pickles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["poisson", "negative_binomial", "gaussian"])
def test_saved_fits_predict_the_same(tmp_path, family):
    d = small()
    d["y"] += 2 * (d["k"] == 4) * d["y"]
    fit = iso.glm("y ~ poly(x, 2) + g * b + offset(log(e))", d, family=family)
    fit.save(tmp_path / "fit.json")
    saved = iso.load(tmp_path / "fit.json")
    new = small(20, seed=2)
    for scale in ("link", "response"):
        equal(saved.predict(new, type=scale), fit.predict(new, type=scale))
    equal(saved.coef, fit.coef)
    equal(saved.vcov, fit.vcov)
    assert saved.summary() == fit.summary()
    assert saved.status == fit.status
    assert saved.evidence.to_dict() == fit.evidence.to_dict()
    for name in ("deviance", "dispersion", "loglik", "n_obs", "dof_residual", "theta"):
        assert getattr(saved, name) == getattr(fit, name)
    with pytest.raises(AttributeError, match="a saved fit has no 'fitted': it keeps no rows of the data"):
        _ = saved.fitted


def test_a_file_that_is_no_fit_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "other"}')
    with pytest.raises(DomainError) as caught:
        iso.load(tmp_path / "other.json")
    assert str(caught.value) == "[domain] load: `path` must hold a saved fit (\"isostat-glm-1\"), got 'other'"


def test_pickles_keep_what_files_keep():
    d = small()
    fit = iso.glm("y ~ x + g", d, family="poisson", exposure="e")
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(fit))))
    equal(again.coef, fit.coef)
    equal(again.predict(d), fit.fitted)
    assert again.summary() == fit.summary()


def test_offsets_by_name_are_found_on_new_data(tmp_path):
    d = small()
    fit = iso.glm("y ~ x", d, family="poisson", exposure="e", offset="x")
    equal(fit.predict(d), fit.fitted)
    equal(fit.predict(d, exposure=1.0, offset=0.0, type="link"), fit.coef[0] + fit.coef[1] * d["x"])
    fit.save(tmp_path / "fit.json")
    equal(iso.load(tmp_path / "fit.json").predict(d), fit.fitted)
    with pytest.raises(UnknownColumnError) as caught:
        fit.predict(d[["x"]])
    assert str(caught.value) == (
        '[unknown-column] predict: the fit took exposure="e", and the new data have no column "e"; '
        "add it, or pass exposure= (for example exposure=1.0)"
    )


def test_columns_of_a_frame_go_by_name(tmp_path):
    d = small()
    fit = iso.fit_glm(d[["x", "e"]], d["y"], family="poisson")
    assert fit.coef_names == ["(Intercept)", "x", "e"]
    fit.save(tmp_path / "fit.json")
    for other in (fit, iso.load(tmp_path / "fit.json")):
        equal(other.predict(d[["e", "k", "x"]]), fit.fitted)
        equal(other.predict(d[["x", "e"]].to_numpy()), fit.fitted)
        with pytest.raises(UnknownColumnError) as caught:
            other.predict(d[["x", "k"]])
        assert str(caught.value) == (
            '[unknown-column] predict: the fit has a column "e", and the new data have x, k; '
            "give every column of the fit"
        )
        with pytest.raises(ShapeError) as wrong:
            other.predict(d[["x"]].to_numpy())
        assert str(wrong.value) == (
            "[shape] predict: `X` must have two dimensions (rows, 2 columns as the fit), got shape (60, 1)"
        )


# -- perfect fits ----------------------------------------------------------------------------------------------


def test_a_perfect_fit_converges():
    """Nothing is left but rounding: the residuals cannot be told from 0, and the iteration must see that."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=40)
    line = iso.fit_glm(x[:, None], 0.1 + 0.7 * x)
    assert (line.status, line.n_iter <= 2) == ("converged", True)
    equal(line.coef, [0.1, 0.7])
    as_many = iso.fit_glm(rng.normal(size=(3, 2)), rng.normal(size=3))
    assert as_many.status == "converged"
    assert as_many.dof_residual == 0
    curve = iso.fit_glm(x[:, None], np.exp(0.1 + 0.7 * x), link="log")
    assert curve.status == "converged"
    equal(curve.coef, [0.1, 0.7], 1e-9)
    gamma = iso.fit_glm(x[:, None], np.exp(0.1 + 0.7 * x), family="gamma", link="log")
    assert gamma.status == "converged"
    equal(gamma.coef, [0.1, 0.7], 1e-9)


# -- analysis of deviance and hypotheses -----------------------------------------------------------------------

ANOVAS = [
    "glm_gaussian_airquality_na",
    "glm_gaussian_mtcars",
    "glm_gamma_log_trees",
    "glm_logit_infert",
    "glm_poisson_housing",
    "glm_poisson_ships_offset",
    "glm_quasipoisson_warpbreaks",
]


def read(record: dict) -> pd.DataFrame:
    factors = {k: c for k, c in record["columns"].items() if c["type"] in ("factor", "ordered")}
    data = pd.read_csv(REFERENCE / record["data"], dtype=dict.fromkeys(factors, str))
    for name, c in factors.items():
        data[name] = pd.Categorical(data[name], c["levels"], ordered=c["type"] == "ordered")
    dropped = np.array(record["result"].get("dropped_rows_1based", []), dtype=int) - 1
    return data.drop(index=dropped).reset_index(drop=True)


@pytest.mark.parametrize("key", ANOVAS)
def test_anova_is_that_of_r(key):
    record = case(key)
    expected, data = record["result"]["anova_sequential"], read(record)
    response = record["r_call"].split("(", 1)[1].split("~")[0].strip()
    offset = " + offset(log(service))" if "offset" in record["r_call"] else ""
    options = {"family": record["result"]["family"].replace("Gamma", "gamma"), "link": record["result"]["link"]}
    terms = expected["terms"][1:]
    fits = [
        iso.glm(f"{response} ~ {' + '.join(['1', *terms[:k]])}{offset}", data, **options) for k in range(len(terms) + 1)
    ]
    table = iso.anova(*fits)
    equal(table.dof_residual, expected["resid_df"])
    equal(table.deviance, expected["resid_dev"], ANOVA)
    equal(table.dof[1:], expected["df"][1:])
    # Differences of deviances lose what the deviances share.
    np.testing.assert_allclose(table.difference[1:], expected["deviance"][1:], atol=ANOVA * expected["resid_dev"][0])
    equal(table.p_value[1:], expected["p"][1:], ANOVA_P)
    assert table.test == ("F" if fits[0].statistic_kind == "t" else "chi2")
    assert len(repr(table).splitlines()) == len(fits) + 1


def test_anova_refuses_what_is_not_nested_data():
    d = small()
    one, two = iso.glm("y ~ x", d, family="poisson"), iso.glm("y ~ x + g", d[:50], family="poisson")
    with pytest.raises(ShapeError, match=r"\[shape\] anova: `fits` must have the same rows, got 60 and 50"):
        iso.anova(one, two)
    with pytest.raises(
        DomainError, match="must share family and link, got poisson with log and gaussian with identity"
    ):
        iso.anova(one, iso.glm("y ~ x", d))
    with pytest.raises(DomainError, match="must be at least two, got 1"):
        iso.anova(one)


@pytest.mark.parametrize("key", ["glm_gaussian_mtcars", "glm_gaussian_airquality_na"])
def test_joint_hypotheses_are_r_s_drop1(key):
    """For least squares the Wald test of a term's columns is the F test of dropping the term."""
    record = case(key)
    formula = record["r_call"].split("(", 1)[1].split(", data")[0]
    fit = iso.glm(formula, read(record))
    dropped = record["result"]["drop1"]
    for term, dof, p in list(zip(dropped["terms"], dropped["df"], dropped["p"], strict=True))[1:]:
        told = fit.test([name for name in fit.coef_names if name.startswith(term)])
        assert told.dof == dof
        assert told.dof_denominator == fit.dof_residual
        assert told.p_value == pytest.approx(p, rel=ANOVA_P)


def test_one_contrast_in_all_its_forms():
    d = small()
    fit = iso.glm("y ~ x + g", d, family="poisson")
    single = fit.test("x")
    assert single.statistic == pytest.approx(fit.statistic[1] ** 2, rel=SAME)
    assert single.p_value == pytest.approx(fit.p_values[1], rel=1e-10)
    by_name, by_row = fit.test({"gb": 1.0, "gc": -1.0}), fit.test([0.0, 0.0, 1.0, -1.0])
    assert by_name.statistic == by_row.statistic
    assert by_name.estimate[0] == pytest.approx(fit.coef[2] - fit.coef[3], rel=SAME)
    # The same hypothesis after a change of base.
    other = iso.glm('y ~ x + C(g, base = "c")', d, family="poisson")
    (name,) = [n for n in other.coef_names if n.endswith("b")]
    assert other.test(name).statistic == pytest.approx(by_name.statistic, rel=1e-8)
    with pytest.raises(DomainError) as caught:
        fit.test("z")
    assert str(caught.value) == ('[domain] test: `contrast` must name a coefficient ((Intercept), x, gb, gc), got "z"')


# -- evidence --------------------------------------------------------------------------------------------------


def test_evidence_is_json_and_says_what_ran():
    fit = iso.glm(SHIPS, ships(), family="poisson")
    record = json.loads(fit.evidence.to_json())
    assert record["engine"] == "fused"
    assert (record["device"], record["dtype"], record["backend"]) == ("cpu", "float64", "local")
    assert record["status"] == "converged"
    assert (record["data"]["rows"], record["data"]["columns"]) == (34, 9)
    assert record["certificate"]["rank"] == 9
    assert record["certificate"]["newton_decrement"] <= record["certificate"]["tolerance"]
    assert [phase["name"] for phase in record["phases"]] == ["start", "iterate", "certify"]
    assert record["phases"][1]["passes"] == fit.n_iter - 1
    assert all(phase["passes"] >= 0 and phase["seconds"] >= 0 for phase in record["phases"])
    assert {"isostat", "python", "numpy"} <= set(record["versions"])
    assert "<td><pre>&quot;fused&quot;</pre></td>" in fit.evidence.to_html()


def test_the_fingerprint_follows_the_data():
    d = small()
    first, same = (iso.glm("y ~ x", d, family="poisson").evidence.data for _ in range(2))
    other = iso.glm("y ~ x", d.assign(y=lambda d: d["y"] + (d.index == 7)), family="poisson").evidence.data
    assert first["hash"] == same["hash"] != other["hash"]


def test_verify_compares_with_the_baseline():
    d = small()
    for fit in (
        iso.glm("y ~ x * g", d, family="poisson", weights="w", exposure="e"),
        iso.glm("y ~ x + g", d.assign(x=lambda d: d["x"].where(d.index != 3)), family="poisson", na="drop"),
        iso.fit_glm(d[["x", "e"]].to_numpy(), d["y"].to_numpy(), family="poisson"),
    ):
        told = iso.verify(fit)
        assert told.is_equal
        assert told.parity["coef_max_abs"] < 1e-9
        assert told.parity["iterations"] == 0
        assert told.parity["nonfinite"] == told.parity["nonfinite_baseline"] == 0
