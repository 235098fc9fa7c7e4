"""What a regression tells."""

from __future__ import annotations

import json
import platform
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isostat import _core, _predict, _simulate, _summary, _wald
from isostat._predict import Prediction, checked_level
from isostat._rows import RowQuantities
from isostat._version import __version__
from isostat._wald import WaldTest
from isostat.errors import DomainError, UnsupportedError
from isostat.evidence import Evidence
from isostat.status import Status

__all__ = ["Fit", "Prediction", "WaldTest", "load"]

_FORMAT = "isostat-glm-1"


class Fit(RowQuantities):
    """A fitted regression. It does not change; other covariances give another Fit.

    Arrays are in the namespace of the caller's ``X`` (NumPy for tables); scalars are floats. Fitted values, residuals
    and leverage are computed when they are asked for.
    """

    def __init__(
        self,
        core: Any,
        like: Any,
        call: dict[str, Any],
        conversions: list[dict[str, Any]] | None = None,
        vcov_kind: str | None = None,
    ) -> None:
        self._core = core
        self._like = like
        self._call = call
        self._conversions = conversions or []
        self._vcov_kind = vcov_kind

    # -- coefficients -----------------------------------------------------------------------------------------

    def _array(self, values: Any) -> Any:
        """Bring a small array of the host to the caller's namespace."""
        array = np.asarray(values, dtype=np.float64)
        if self._like is None:
            return array.astype(np.float32) if self.evidence.dtype == "float32" else array
        from isostat.array_api import as_namespace_array, namespace

        return as_namespace_array(array, namespace(self._like), like=self._like)

    @cached_property
    def coef(self) -> Any:
        """Coefficients, shape (p,); NaN where aliased."""
        return self._array(self._core.coef)

    @property
    def coef_names(self) -> list[str]:
        """Names of the coefficients, as R writes them."""
        return list(self._core.coef_names)

    @cached_property
    def _vcov(self) -> np.ndarray[Any, Any]:
        p = len(self._core.coef)
        return np.asarray(self._core.vcov(self._vcov_kind)).reshape(p, p)

    @cached_property
    def vcov(self) -> Any:
        """Covariance of the coefficients, shape (p, p); ``vcov_kind`` says which."""
        return self._array(self._vcov)

    @property
    def vcov_kind(self) -> str:
        """Which covariance: expected information, HC0 to HC3, or the sandwich of sampling weights."""
        if self._vcov_kind is not None:
            return self._vcov_kind
        return "sampling" if self.weights_kind == "sampling" else "expected"

    @cached_property
    def _stderr(self) -> np.ndarray[Any, Any]:
        return np.asarray(np.sqrt(np.diag(self._vcov)))

    @cached_property
    def stderr(self) -> Any:
        """Standard errors, shape (p,); NaN where aliased or infinite."""
        return self._array(self._stderr)

    @cached_property
    def _statistic(self) -> np.ndarray[Any, Any]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.asarray(self._core.coef) / self._stderr)

    @cached_property
    def statistic(self) -> Any:
        """Wald statistics ``coef / stderr``: t where the dispersion is estimated, z where it is known."""
        return self._array(self._statistic)

    @property
    def statistic_kind(self) -> str:
        """``t`` or ``z``, as R chooses."""
        return "t" if self._core.family[2] else "z"

    @cached_property
    def _p_values(self) -> np.ndarray[Any, Any]:
        dof = self.dof_residual if self.statistic_kind == "t" else float("inf")
        return np.asarray(_core._two_sided(list(self._statistic), dof))

    @cached_property
    def p_values(self) -> Any:
        """Two-sided p-values of the Wald statistics."""
        return self._array(self._p_values)

    def confint(self, level: float = 0.95, method: str = "wald") -> Any:
        """Confidence intervals of the coefficients, shape (p, 2), by the normal quantile as R's ``confint.default``.

        Raises
        ------
        UnsupportedError
            For profile and bootstrap intervals, which this version does not have.
        """
        if method != "wald":
            raise UnsupportedError(
                f"[unsupported] confint with method={method!r} is not supported: it is not available in this version; "
                'use method="wald"'
            )
        z = _core._normal_quantile(0.5 + checked_level(level) / 2)
        coef = np.asarray(self._core.coef)
        return self._array(np.stack([coef - z * self._stderr, coef + z * self._stderr], axis=1))

    # -- how well, and how it ended ---------------------------------------------------------------------------

    @property
    def family(self) -> str:
        """Name of the family."""
        return str(self._core.family[0])

    @property
    def link(self) -> str:
        """Name of the link."""
        return str(self._core.family[1])

    @property
    def dispersion(self) -> float:
        """Pearson's dispersion ``X2 / dof_residual``; 1 where it is known."""
        return float(self._core.dispersion)

    @property
    def deviance(self) -> float:
        """Residual deviance."""
        return float(self._core.deviance)

    @cached_property
    def _null(self) -> tuple[float, float]:
        return tuple(self._core.null_deviance())

    @property
    def null_deviance(self) -> float:
        """Deviance of the intercept alone, offset kept; of nothing where there is no intercept."""
        return float(self._null[0])

    @cached_property
    def _loglik(self) -> tuple[float, float]:
        return tuple(self._core.loglik())

    @property
    def loglik(self) -> float:
        """Log-likelihood, with R's conventions; NaN for quasi families."""
        return float(self._loglik[0])

    @property
    def n_parameters(self) -> float:
        """Parameters that the likelihood counts: coefficients, and dispersion, theta or power where estimated."""
        return float(self._loglik[1])

    @cached_property
    def loglik_null(self) -> float:
        """Log-likelihood of the intercept alone, offset kept."""
        return float(self._core.loglik_null())

    def pseudo_r2(self, kind: str = "mcfadden") -> float:
        """Share of what the null model leaves that the fit explains.

        Parameters
        ----------
        kind : {"mcfadden", "cox_snell", "deviance"}
            ``1 - loglik / loglik_null``, ``1 - exp(2 (loglik_null - loglik) / n)``, ``1 - deviance / null_deviance``;
            the null model keeps offset, exposure and weights.
        """
        if kind == "mcfadden":
            return 1.0 - self.loglik / self.loglik_null
        if kind == "cox_snell":
            return 1.0 - float(np.exp(2.0 * (self.loglik_null - self.loglik) / self._n_counted))
        if kind == "deviance":
            return 1.0 - self.deviance / self.null_deviance
        raise DomainError(f'[domain] pseudo_r2: `kind` must be "mcfadden", "cox_snell" or "deviance", got "{kind}"')

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return -2.0 * self.loglik + 2.0 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion; as in R, rows of weight 0 count."""
        n = self._n_counted if self.weights_kind == "frequency" else self.n_obs
        return -2.0 * self.loglik + float(np.log(n)) * self.n_parameters

    @property
    def _n_counted(self) -> float:
        _, weighted, total = self._core.counts
        return float(total if self.weights_kind == "frequency" else weighted)

    @property
    def dof_residual(self) -> float:
        """Residual degrees of freedom."""
        return float(self._core.dof_residual)

    @property
    def dof_null(self) -> float:
        """Degrees of freedom of the null model."""
        return self._n_counted - (1.0 if self._core.has_intercept else 0.0)

    @property
    def n_obs(self) -> int:
        """Rows that were used."""
        return int(self._core.counts[0])

    @property
    def weights_kind(self) -> str:
        """What the weights count."""
        return str(self._core.weights_kind)

    @property
    def rank(self) -> int:
        """Columns that are not aliased."""
        return int(self._core.rank)

    @property
    def aliased(self) -> list[str]:
        """Names of aliased columns."""
        return [self.coef_names[j] for j, _ in self._core.aliased]

    @property
    def alias_relations(self) -> dict[str, dict[str, float]]:
        """For each aliased column its coefficients on the columns that are kept."""
        names = self.coef_names
        return {names[j]: {names[k]: c for k, c in relation} for j, relation in self._core.aliased}

    @property
    def theta(self) -> float | None:
        """Shape of the negative binomial, where it was estimated."""
        return self._estimated("theta")[0]

    @property
    def theta_stderr(self) -> float | None:
        """Standard error of theta."""
        return self._estimated("theta")[1]

    @property
    def power(self) -> float | None:
        """Power of the Tweedie variance, where it was estimated."""
        return self._estimated("power")[0]

    def _estimated(self, name: str) -> tuple[float | None, float | None]:
        for key, value, stderr in self._core.estimated:
            if key == name:
                return float(value), float(stderr)
        return None, None

    @property
    def status(self) -> Status:
        """How it ended."""
        return Status(self._core.status)

    @property
    def converged(self) -> bool:
        """Whether the estimate may be used as a maximum."""
        return bool(self._core.is_converged)

    @property
    def n_iter(self) -> int:
        """Iterations."""
        return int(self._core.n_iter)

    @property
    def remarks(self) -> list[str]:
        """What a user must be told: data that deserve a look, an ending without its certificate."""
        texts = list(self._core.warnings)
        if not self.converged and not any(name in " ".join(texts) for name in ("separation", "no finite maximum")):
            texts.append(f"the fit ended as {self.status.value}: {self._core.remedy}")
        for name, relation in self.alias_relations.items():
            terms = " + ".join(f"{c:g}*{k}" for k, c in relation.items()) or "0"
            texts.append(f"column {name} is aliased and has no coefficient: {name} = {terms}")
        return texts

    @cached_property
    def evidence(self) -> Evidence:
        """What ran."""
        record = json.loads(self._core.evidence_json)
        record["conversions"] = [*self._conversions, *record["conversions"]]
        record["versions"] = {
            "isostat": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            **_versions(record["engine"]),
        }
        return Evidence(record)

    # -- other covariances, tests -----------------------------------------------------------------------------

    def robust(self, kind: str = "HC3", *, cluster: Any = None) -> Fit:
        """Return the same fit with a covariance that holds under any variance of the responses.

        Parameters
        ----------
        kind : {"HC0", "HC1", "HC2", "HC3"}
            As R's ``sandwich::vcovHC`` [Zeileis 2004].
        cluster : None
            Cluster covariances are not available in this version.

        Raises
        ------
        UnsupportedError, DomainError
        """
        if cluster is not None:
            raise UnsupportedError(
                "[unsupported] robust with cluster= is not supported: it is not available in this version; "
                'use kind="HC0" to "HC3" without clusters'
            )
        kind = str(kind).upper()
        if kind not in ("HC0", "HC1", "HC2", "HC3"):
            raise DomainError(f'[domain] robust: `kind` must be HC0, HC1, HC2 or HC3, got "{kind}"')
        return Fit(self._core, self._like, self._call, self._conversions, kind)

    def test(self, contrast: Any) -> WaldTest:
        """Test the linear hypothesis ``L beta = 0``.

        Parameters
        ----------
        contrast : str, list of str, dict or array, shape (p,) or (q, p)
            Names of coefficients that are jointly 0, a dict name → weight, or the matrix itself.

        Returns
        -------
        WaldTest
            F where the dispersion is estimated, chi-squared where it is known.
        """
        return _wald.test(self, contrast)

    # -- prediction -------------------------------------------------------------------------------------------

    def predict(
        self,
        newdata: Any = None,
        *,
        type: str = "response",
        se: bool = False,
        interval: str | None = None,
        level: float = 0.95,
        offset: Any = None,
        exposure: Any = None,
        exclude: tuple[str, ...] = (),
        new_levels: str = "error",
        na: str | None = None,
    ) -> Any:
        """Predict at new rows.

        Parameters
        ----------
        newdata : table or array, shape (m, p)
            None predicts at the rows of the fit. A table needs the predictors of the formula; its ``offset()`` terms
            are evaluated on it, and so are an offset and an exposure that the fit took by name.
        type : {"response", "link", "terms"}
            Scale of the answer; ``terms`` gives a dict name → contribution to the linear predictor.
        se, interval : bool, {"confidence", "prediction"}
            Standard errors (on the response scale by the delta method); intervals, built on the link scale.
            Prediction intervals exist for the Gaussian with identity link.
        level : float
        offset, exposure : array, shape (m,), optional
            Added to the linear predictor; takes the place of the one that the fit took by name.
        exclude : tuple of str
            Terms to leave out (type "terms").
        new_levels : {"error", "na", "baseline"}
            What becomes of a level that the fit has not seen: refused, NaN in its row, or taken for the baseline.
        na : {"raise", "keep"}, optional
            What becomes of a missing value: refused, or NaN in its row. None keeps where ``new_levels="na"``, and
            refuses elsewhere.

        Returns
        -------
        array, or Prediction(fit, se, lower, upper, estimable)

        Raises
        ------
        UnseenLevelError, MissingValueError, UnknownColumnError, ShapeError, DomainError, UnsupportedError
        """
        policy = _predict.policy(new_levels, na)
        request = _predict.Request(type, se, interval, level, offset, exposure, tuple(exclude), policy)
        return _predict.predict(self, newdata, request)

    def loglik_at(self, coef: Any) -> Any:
        """Log-likelihood at other coefficients, differentiable on the engine of the fit.

        The dispersion, and theta and power, stay those of the fit, so that ``fit.loglik_at(fit.coef)`` is
        ``fit.loglik``. A Tweedie's series is as long as the responses need: it cannot run under ``jax.jit``.
        """
        if "formula" in self._call:
            raise UnsupportedError(
                "[unsupported] loglik_at for a table is not supported: a formula's columns are the host's; use fit_glm"
            )
        call = self._call
        family = _Given(*self._core.family_given)
        is_replicated = self.weights_kind == "frequency"
        phi = self._core.likelihood_dispersion()
        return _core._loglik_at(
            self.model_matrix(), call["y"], coef, family, self.link, call["weights"], call["offset"], phi, is_replicated
        )

    def simulate(self, n: int = 1, *, seed: int) -> Any:
        """Draw ``n`` sets of responses from the fit, shape (n, n_obs)."""
        return _simulate.simulate(self, n, seed)

    # -- out --------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the coefficient table and what goes with it, as text."""
        return _summary.text(self)

    def plot(self) -> Any:
        """Diagnostic plots: residuals, quantiles, scale, leverage. Returns a matplotlib figure."""
        from isostat._plot import diagnostics

        return diagnostics(self)

    def __repr__(self) -> str:
        return self.summary()

    def save(self, path: str | Path) -> None:
        """Write coefficients, covariance and the rules of the formula as JSON: enough to predict, without the data."""
        Path(path).write_text(json.dumps(self._state()), encoding="utf-8")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what :meth:`save` keeps: reading gives a fit without the rows of the data."""
        from isostat._saved import SavedFit

        return SavedFit, (self._state(),)

    def _state(self) -> dict[str, Any]:
        return {"format": _FORMAT, "isostat": __version__, **_summary.state(self)}


class _Given(NamedTuple):
    """A family with its parameters, as the core reads it."""

    name: str
    theta: float | None
    power: float | None
    variance: str | None


def load(path: str | Path) -> Any:
    """Read a fit that :meth:`Fit.save` wrote."""
    from isostat._saved import SavedFit

    return SavedFit(json.loads(Path(path).read_text(encoding="utf-8")))


def _versions(engine: str) -> dict[str, str]:
    import sys

    module = sys.modules.get(engine)
    return {engine: str(module.__version__)} if module is not None and hasattr(module, "__version__") else {}
