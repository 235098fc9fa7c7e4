"""Jobs at which users of other libraries failed, a test for each behaviour: null models, weights, theta, units."""

from __future__ import annotations

import isostat as iso
import numpy as np
import pytest
from field import SAME_FIT, SUMS, Case, check
from isostat.errors import ConvergenceWarning, UnsupportedError

# -- 12: the null model ----------------------------------------------------------------------------------------


def test_null_model_keeps_exposure():
    case = Case("12")
    for fit in (
        iso.glm("y ~ x + offset(log(exposure))", case.data, family="poisson"),
        iso.glm("y ~ x", case.data, family="poisson", exposure="exposure"),
    ):
        case.check(fit.coef, "coef")
        case.check(fit.loglik, "loglik")
        case.check(fit.loglik_null, "loglik_null")
        case.check(fit.deviance, "deviance")
        case.check(fit.null_deviance, "null_deviance")
        case.check(np.exp(fit._null[1]), "null_rate")
        case.check(fit.pseudo_r2("mcfadden"), "mcfadden")
        case.check(fit.pseudo_r2("cox_snell"), "cox_snell")
        case.check(fit.pseudo_r2("deviance"), "deviance_explained")


def test_null_model_keeps_weights():
    case = Case("12")
    d = case.data
    weights = 1.0 + (np.arange(len(d)) % 3)
    fit = iso.glm("y ~ x", d, family="poisson", exposure="exposure", weights=weights)
    alone = iso.glm("y ~ 1", d, family="poisson", exposure="exposure", weights=weights)
    assert fit.null_deviance == pytest.approx(alone.deviance, rel=SAME_FIT)
    assert fit.loglik_null == pytest.approx(alone.loglik, rel=SAME_FIT)
    rate = np.sum(weights * d["y"]) / np.sum(weights * d["exposure"])
    assert np.exp(alone.coef[0]) == pytest.approx(rate, rel=SAME_FIT)


# -- 14: what weights mean -------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
@pytest.mark.parametrize("kind", ["freq", "precision", "sampling"])
def test_three_kinds_of_weights(family, kind):
    case = Case("14")
    name = {"freq": "frequency"}.get(kind, kind)
    fit = iso.glm("y ~ x", case.data, family=family, weights="w", weights_kind=name)
    case.check(fit.coef, f"{family}_coef")
    check(fit.stderr, case.expected[f"se_{family}"][kind], case.tolerance["rel"])
    assert fit.dof_residual == case.expected["df_freq" if kind == "freq" else "df_precision"]
    assert fit.weights_kind == name
    summary = fit.summary()
    assert f"40 rows; {name} weights: 40 rows with weight, sum 109" in summary
    assert f"on {fit.dof_residual:g} degrees of freedom" in summary


def test_frequency_weights_are_repeated_rows():
    d = Case("14").data
    weighted = iso.glm("y ~ x", d, weights="w", weights_kind="frequency")
    repeated = iso.glm("y ~ x", d.loc[d.index.repeat(d["w"])].reset_index(drop=True))
    check(weighted.coef, repeated.coef, SAME_FIT)
    check(weighted.stderr, repeated.stderr, SAME_FIT)
    for name in ("loglik", "aic", "bic", "deviance", "null_deviance", "dispersion"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=SAME_FIT)


# -- 16, 17: the negative binomial -----------------------------------------------------------------------------


def test_theta_is_estimated_and_counted():
    case = Case("16")
    fit = iso.glm("y ~ x + g", case.data, family="negative_binomial")
    case.check(fit.coef, "coef")
    case.check(fit.theta, "theta")
    case.check(1 / fit.theta, "alpha")
    case.check(fit.theta_stderr, "se_theta_glm_nb")
    case.check(fit.stderr, "se_expected_theta_fixed")
    case.check(fit.loglik, "loglik")
    case.check(fit.aic, "AIC")
    assert fit.dispersion == 1.0
    assert fit.n_parameters == 4
    summary = fit.summary()
    assert "theta 1.891, standard error 0.4117, estimated" in summary
    assert "inverse expected information, theta at its estimate" in summary


def test_theta_is_fixed_only_when_given():
    case = Case("16")
    fit = iso.glm("y ~ x + g", case.data, family=iso.families.negative_binomial(theta=case.expected["theta"]))
    case.check(fit.coef, "coef")
    assert fit.theta is None
    assert fit.n_parameters == 3


def test_underdispersed_counts_end_on_the_boundary():
    case = Case("17")
    with pytest.warns(ConvergenceWarning) as caught:
        fit = iso.glm("y ~ x", case.data, family="negative_binomial")
    case.check(fit.coef, "coef")
    case.check(fit.stderr, "se")
    case.check(fit.loglik, "loglik")
    assert fit.theta == float(case.expected["theta"])
    assert fit.status == "boundary"
    assert fit.converged
    assert np.all(np.isfinite([*fit.coef, *fit.stderr, *fit.fitted, fit.loglik, fit.aic, fit.deviance]))
    assert [str(w.message) for w in caught] == [
        "the counts are underdispersed (Pearson chi2/df 0.532; score of 1/theta at 0 is -63.329): the maximum lies at "
        "theta = inf, the Poisson fit"
    ]
    assert f"{case.expected['pearson_over_df']:.3f}" == "0.532"
    assert f"{case.expected['score_for_alpha']:.3f}" == "-63.329"


# -- 18, 20: units ---------------------------------------------------------------------------------------------


def test_money_of_order_1e9():
    case = Case("18")
    fit = iso.glm("y ~ insured + year + k", case.data, family="gamma", link="log")
    case.check(fit.coef, "coef")
    case.check(fit.stderr, "se_pearson")
    case.check(fit.deviance, "deviance")
    case.check(fit.dispersion, "phi_pearson")
    check(fit.fitted[:5], case.expected["fitted_first5"], 1e-6)


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e9])
def test_units_change_nothing_else(factor):
    case = Case("18")
    fit = iso.glm("y ~ insured + year + k", case.data, family="gamma", link="log")
    scaled = iso.glm(
        "y ~ insured + year + k", case.data.assign(insured=lambda d: d["insured"] * factor), family="gamma", link="log"
    )
    expected = fit.coef.copy(), fit.stderr.copy()
    for values in expected:
        values[1] /= factor
    check(scaled.coef, expected[0], 1e-8)
    check(scaled.stderr, expected[1], 1e-8)
    assert scaled.n_iter == fit.n_iter


class TestUnscaledPoisson:
    case = Case("20")
    formula = "claims ~ district + grp + age + holders"

    def data(self):
        return self.case.data.assign(district=lambda d: d["district"].astype(str))

    def test_answers(self):
        fit = iso.glm(self.formula, self.data(), family="poisson")
        self.case.check(fit.coef, "coef")
        self.case.check(fit.stderr, "se")
        self.case.check(fit.deviance, "deviance")
        self.case.check(fit.loglik, "loglik")
        self.case.check(fit.null_deviance, "deviance_all_zero_coef")

    def test_the_score_is_small_where_it_says_converged(self):
        fit = iso.glm(self.formula, self.data(), family="poisson")
        score = fit.model_matrix().T @ (self.data()["claims"].to_numpy() - fit.fitted)
        # The squared score in units of its standard errors is what the certificate records.
        norm = np.sqrt(score @ fit.vcov @ score)
        assert fit.converged
        assert norm < 1e-7
        assert fit.evidence.certificate["score_norm"] < 1e-4

    def test_a_fit_that_was_cut_short_says_so(self):
        with pytest.warns(ConvergenceWarning, match="the fit ended as iteration_limit: raise max_iter"):
            fit = iso.glm(self.formula, self.data(), family="poisson", max_iter=1)
        assert fit.status == "iteration_limit"
        assert not fit.converged


# -- 21: no hidden penalty -------------------------------------------------------------------------------------


class TestNoHiddenPenalty:
    case = Case("21")

    def test_the_default_is_the_maximum(self):
        fit = iso.glm("y ~ x1 + x2 + x3", self.case.data, family="binomial")
        self.case.check(fit.coef, "mle")
        self.case.check(fit.stderr, "mle_se")
        assert np.sum(fit.fitted) == pytest.approx(self.case.data["y"].sum(), rel=SUMS)

    @pytest.mark.parametrize("penalty", ["l1", "l2"])
    def test_penalties_wait(self, penalty):
        with pytest.raises(UnsupportedError) as caught:
            iso.glm("y ~ x1 + x2 + x3", self.case.data, family="binomial", **{penalty: 1.0})
        assert str(caught.value) == (
            f"[unsupported] glm with {penalty}=1.0 is not supported: it is not available in this version; "
            "fit without a penalty"
        )

    @pytest.mark.parametrize("method", ["profile", "bootstrap"])
    def test_other_intervals_wait(self, method):
        fit = iso.glm("y ~ x1 + x2 + x3", self.case.data, family="binomial")
        with pytest.raises(UnsupportedError) as caught:
            fit.confint(method=method)
        assert str(caught.value) == (
            f"[unsupported] confint with method='{method}' is not supported: it is not available in this version; "
            'use method="wald"'
        )
