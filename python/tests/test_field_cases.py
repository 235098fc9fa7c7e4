"""Jobs at which users of other libraries failed, a test for each behaviour: errors, levels, ranks, separation."""

from __future__ import annotations

import isostat as iso
import numpy as np
import pandas as pd
import pytest
from field import SAME_FIT, Case, check, named, quiet
from isostat.errors import ConvergenceWarning, MissingValueError, UnseenLevelError, UnsupportedError

# -- 01: rate with weights = count with exposure ---------------------------------------------------------------


class TestRateAndCount:
    case = Case("01")

    def fits(self):
        d = self.case.data.assign(rate=lambda d: d["count"] / d["exposure"])
        rate = quiet(iso.glm, "rate ~ x", d, family="poisson", weights="exposure")
        by_formula = iso.glm("count ~ x + offset(log(exposure))", d, family="poisson")
        by_exposure = iso.glm("count ~ x", d, family="poisson", exposure="exposure")
        by_offset = iso.glm("count ~ x", d, family="poisson", offset=np.log(d["exposure"]))
        return rate, by_formula, by_exposure, by_offset

    def test_answers(self):
        rate, *counts = self.fits()
        for fit in counts:
            self.case.check(fit.coef, "coef")
            self.case.check(fit.stderr, "se_poisson")
            self.case.check(fit.deviance, "deviance")
            self.case.check(fit.loglik, "loglik_count_form")
            self.case.check(fit.fitted, "fitted_counts")
        self.case.check(rate.coef, "coef_rate_form")
        self.case.check(rate.stderr, "se_poisson")
        self.case.check(rate.deviance, "deviance_rate_form")
        self.case.check(rate.fitted, "fitted_rates")

    def test_both_forms_agree(self):
        first, *others = self.fits()
        for fit in others:
            check(fit.coef, first.coef, SAME_FIT)

    def test_offset_and_exposure_add(self):
        d = self.case.data
        together = iso.glm("count ~ x", d, family="poisson", offset=np.full(len(d), 0.5), exposure="exposure")
        alone = iso.glm("count ~ x", d, family="poisson", exposure="exposure")
        assert together.coef[0] == pytest.approx(alone.coef[0] - 0.5, rel=SAME_FIT)
        assert together.coef[1] == pytest.approx(alone.coef[1], rel=SAME_FIT)

    def test_a_rate_is_told_to_be_no_count(self):
        d = self.case.data.assign(rate=lambda d: d["count"] / d["exposure"])
        with pytest.warns(
            ConvergenceWarning, match='family "poisson": `rate` holds non-integer counts, first in row 1'
        ):
            iso.glm("rate ~ x", d.iloc[[0, 2, 3, 4, 5, 6]], family="poisson", weights="exposure")


# -- 02: which standard error -----------------------------------------------------------------------------------


class TestStandardErrors:
    case = Case("02")

    def fit(self):
        return iso.glm("y ~ x1 + x2 + x3", self.case.data)

    def test_classical_is_the_default_and_named(self):
        fit = self.fit()
        self.case.check(fit.coef, "coef")
        self.case.check(fit.stderr, "se_classical")
        self.case.check(fit.dispersion, "sigma2")
        assert fit.vcov_kind == "expected"
        assert "Covariance: inverse expected information" in fit.summary()

    @pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
    def test_robust_kinds_without_a_refit(self, kind):
        fit = self.fit()
        robust = fit.robust(kind)
        self.case.check(robust.stderr, f"se_{kind}")
        assert robust.vcov_kind == kind
        assert f"Covariance: heteroskedasticity-consistent, {kind}" in robust.summary()
        assert robust._core is fit._core

    def test_clusters_wait(self):
        with pytest.raises(UnsupportedError) as caught:
            self.fit().robust("HC1", cluster="g")
        assert str(caught.value) == (
            "[unsupported] robust with cluster= is not supported: it is not available in this version; "
            'use kind="HC0" to "HC3" without clusters'
        )


# -- 04: inverse Gaussian likelihood ---------------------------------------------------------------------------


def test_inverse_gaussian_likelihood():
    case = Case("04")
    fit = iso.glm("y ~ x", case.data, family="inverse_gaussian", link="log")
    case.check(fit.coef, "coef")
    case.check(fit.deviance, "deviance")
    case.check(fit.dispersion, "phi_pearson")
    case.check(fit.stderr, "se_pearson")
    case.check(fit.loglik, "R_logLik")
    case.check(fit.loglik, "loglik_at_phi_ml")
    case.check(fit.aic, "R_AIC")
    summary = fit.summary()
    assert "(at dispersion deviance/sum of weights)" in summary
    assert "(Pearson, estimated)" in summary


# -- 05: Tweedie predictions with errors -----------------------------------------------------------------------


class TestTweediePrediction:
    case = Case("05")

    def fit(self):
        return iso.glm("y ~ x + f", self.case.data, family=iso.families.tweedie(power=1.5), link="log")

    def test_answers(self):
        fit = self.fit()
        self.case.check(fit.coef, "coef")
        self.case.check(fit.stderr, "se")
        self.case.check(fit.dispersion, "phi_pearson")
        self.case.check(fit.deviance, "deviance")

    def test_predictions(self):
        fit = self.fit()
        link = fit.predict(self.case.new, type="link", se=True)
        self.case.check(link.fit, "eta")
        self.case.check(link.se, "se_eta")
        response = fit.predict(self.case.new, type="response", se=True, interval="confidence")
        self.case.check(response.fit, "mean")
        self.case.check(response.se, "se_mean_delta")
        self.case.check(response.lower, "lower")
        self.case.check(response.upper, "upper")

    def test_predictions_use_the_covariance_of_the_table(self):
        robust = self.fit().robust("HC0")
        x = np.array([1.0, 0.5, 0.0, 1.0])
        error = robust.predict(self.case.new, type="link", se=True).se[2]
        assert error == pytest.approx(np.sqrt(x @ robust.vcov @ x), rel=SAME_FIT)
        assert error != pytest.approx(self.case.expected["se_eta"][2], rel=1e-3)


# -- 06: unseen and missing levels -----------------------------------------------------------------------------


class TestLevels:
    case = Case("06")

    def fit(self):
        return iso.glm("y ~ f + x", self.case.data, family="poisson")

    def test_refusal_names_column_level_and_row(self):
        with pytest.raises(UnseenLevelError) as caught:
            self.fit().predict(self.case.new)
        assert str(caught.value) == (
            '[unseen-level] column "f" holds level "zzz" in row 2, which the fit has not seen (it knows "a", "b", '
            '"d"); pass new_levels="na" or new_levels="baseline" to predict, or refit with this level'
        )

    def test_refusal_names_all_levels(self):
        new = pd.DataFrame({"f": ["a", "u", "v", "u"], "x": 0.0})
        with pytest.raises(UnseenLevelError, match='holds levels "u", "v", the first in row 1,'):
            self.fit().predict(new)

    def test_na_keeps_length_and_place(self):
        fit = self.fit()
        self.case.check(fit.coef, "coef")
        self.case.check(fit.predict(self.case.new, new_levels="na"), "predict_policy_na")
        told = fit.predict(self.case.new, new_levels="na", se=True, interval="confidence")
        for part in (told.fit, told.se, told.lower, told.upper):
            assert list(np.isnan(part)) == [False, False, True, False, True]
        assert list(told.estimable) == [True, True, False, True, False]

    def test_baseline_is_explicit(self):
        fit = self.fit()
        taken = fit.predict(self.case.new, new_levels="baseline", na="keep")
        assert taken[2] == pytest.approx(np.exp(fit.coef[0] + 0.4 * fit.coef[3]), rel=SAME_FIT)
        assert np.isnan(taken[4])
        seen = [0, 1, 3]
        check(taken[seen], np.asarray(self.case.expected["predict_policy_na"], dtype=float)[seen], 1e-7)

    def test_a_missing_category_has_its_own_policy(self):
        fit = self.fit()
        new = self.case.new.drop(index=2)
        with pytest.raises(MissingValueError) as caught:
            fit.predict(new, new_levels="baseline")
        assert str(caught.value) == (
            '[missing-value] `f` holds null in row 3 of column "f"; '
            'pass na="keep" for NaN in the places of such rows, or fill them'
        )
        assert list(np.isnan(fit.predict(new, na="keep"))) == [False, False, False, True]

    def test_a_saved_fit_does_the_same(self, tmp_path):
        self.fit().save(tmp_path / "fit.json")
        saved = iso.load(tmp_path / "fit.json")
        self.case.check(saved.predict(self.case.new, new_levels="na"), "predict_policy_na")
        with pytest.raises(UnseenLevelError):
            saved.predict(self.case.new)


# -- 08: a cubic in calendar years -----------------------------------------------------------------------------


@pytest.mark.parametrize("formula", ["y ~ year + I(year^2) + I(year^3)", "y ~ poly(year, 3, raw = TRUE)"])
def test_cubic_in_calendar_years(formula):
    case = Case("08")
    fit = iso.glm(formula, case.data)
    assert fit.rank == 4
    case.check(fit.fitted, "fitted", "fitted_rel")
    case.check(fit.coef, "coef", "coef_rel")
    case.check(fit.deviance, "rss", "fitted_rel")
    case.check(fit.dispersion, "sigma2", "fitted_rel")
    (note,) = fit.evidence.notes
    assert "condition of about" in note
    assert "inf" not in note
    assert fit.evidence.certificate["condition"] > 1e8


def test_cubic_in_calendar_years_by_arrays():
    case = Case("08")
    year = case.data["year"].to_numpy(dtype=float)
    fit = iso.fit_glm(np.column_stack([year, year**2, year**3]), case.data["y"].to_numpy(dtype=float))
    case.check(fit.fitted, "fitted", "fitted_rel")
    case.check(fit.coef, "coef", "coef_rel")


# -- 09: an aliased column -------------------------------------------------------------------------------------


class TestAliased:
    case = Case("09")

    def fit(self):
        return quiet(iso.glm, "y ~ x1 + x2 + z", self.case.data)

    def test_rank_and_relation(self):
        with pytest.warns(ConvergenceWarning, match=r"x2 = -1\*\(Intercept\) \+ 2\*x1"):
            fit = iso.glm("y ~ x1 + x2 + z", self.case.data)
        assert fit.rank == self.case.expected["rank"]
        assert fit.dof_residual == self.case.expected["df_residual"]
        assert fit.aliased == ["x2"]
        assert fit.alias_relations["x2"] == pytest.approx({"(Intercept)": -1.0, "x1": 2.0}, rel=SAME_FIT)

    def test_the_others_are_those_of_the_reduced_model(self):
        fit = self.fit()
        for name, value in self.case.expected["coef"].items():
            ours = named(fit)[name]
            assert np.isnan(ours) if value == "NA" else ours == pytest.approx(value, rel=1e-7)
        kept = [0, 1, 3]
        check(fit.stderr[kept], self.case.expected["se_nonaliased"], 1e-7)
        check(fit.p_values[kept], self.case.expected["p_nonaliased"], 1e-7)
        self.case.check(np.sqrt(fit.dispersion), "sigma")

    def test_no_p_value_for_the_aliased_one(self):
        fit = self.fit()
        assert all(np.isnan(v[2]) for v in (fit.coef, fit.stderr, fit.statistic, fit.p_values))
        (row,) = [line for line in fit.summary().splitlines() if line.startswith("x2 ")]
        assert row.split() == ["x2", "NA", "NA", "NA", "NA"]

    def test_predictions_of_estimable_rows(self):
        fit = self.fit()
        for kind in ("confidence", "prediction"):
            told = fit.predict(self.case.new, se=True, interval=kind)
            ours = np.column_stack([told.fit, told.lower, told.upper])[:2]
            self.case.check(ours, kind)
            # The third row breaks x2 = 2 x1 - 1.
            assert list(told.estimable) == [True, True, False]


# -- 10: complete separation -----------------------------------------------------------------------------------


class TestSeparation:
    case = Case("10")

    def test_status_and_direction(self):
        with pytest.warns(ConvergenceWarning) as caught:
            fit = iso.glm("y ~ dose", self.case.data, family="binomial")
        (warning,) = caught
        assert str(warning.message) == (
            "complete separation: a combination of columns tells the responses apart, so no finite maximum likelihood "
            "estimate exists (12 rows; direction: (Intercept) → -∞, dose → +∞); drop or merge the separating columns "
            "or levels, or collect rows that overlap"
        )
        assert fit.status == "separation"
        assert not fit.converged
        signs = {"-Inf": -np.inf, "Inf": np.inf}
        assert {k: np.sign(v) for k, v in named(fit).items()} == {
            k: np.sign(signs[v]) for k, v in self.case.expected["infinite"].items()
        }
        assert fit.loglik == pytest.approx(self.case.expected["sup_loglik"], abs=1e-6)

    def test_no_wald_errors(self):
        fit = quiet(iso.glm, "y ~ dose", self.case.data, family="binomial")
        assert np.all(np.isnan(fit.stderr))
        assert np.all(np.isnan(fit.p_values))
        rows = [line.split() for line in fit.summary().splitlines() if line.startswith(("(Intercept)", "dose"))]
        assert all(row[2:] == ["NA", "NA", "NA"] for row in rows)

    def test_firth_waits_and_is_not_offered(self):
        fit = quiet(iso.glm, "y ~ dose", self.case.data, family="binomial")
        assert "firth" not in " ".join(fit.remarks).lower()
        with pytest.raises(UnsupportedError) as caught:
            iso.glm("y ~ dose", self.case.data, family="binomial", method="firth")
        assert str(caught.value) == (
            "[unsupported] glm with method='firth' is not supported: it is not available in this version; "
            'use method="irls"'
        )
