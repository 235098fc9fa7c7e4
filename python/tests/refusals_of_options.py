"""Refusals of names, pairs, parameters, options and tables."""

# Messages stand as they are printed, on one line.
# ruff: noqa: E501

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import isostat as iso
import numpy as np
from isostat import errors, families, links
from refusals_of_data import LATER, X, Y, fit, table

#: name: (kind, message, call)
OF_OPTIONS: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    # -- names --------------------------------------------------------------------------------------------
    "unknown family": (
        errors.UnsupportedError,
        '[unsupported] family "poison" is not supported: there is no family of that name for a GLM; use one of '
        "gaussian, binomial, poisson, gamma, inverse_gaussian, negative_binomial, tweedie, quasipoisson, quasibinomial, "
        "quasi",
        lambda: fit(family="poison"),
    ),
    "a family of no kind": (
        errors.DtypeError,
        "[dtype] `family` must have dtype a name or an object of isostat.families, got int; "
        'use a name such as "poisson", or isostat.families',
        lambda: fit(family=3),
    ),
    "unknown link": (
        errors.UnsupportedError,
        '[unsupported] link "logs" is not supported: there is no link of that name; use one of identity, log, logit, '
        "probit, cloglog, loglog, cauchit, inverse, inverse_square, sqrt, power(p)",
        lambda: fit(link="logs"),
    ),
    "unknown engine": (
        errors.DomainError,
        '[domain] fit_glm: `engine` must be an engine or one of "fused", "numpy", "torch", "jax", "cupy", got "abacus"',
        lambda: fit(engine="abacus"),
    ),
    "an engine of no kind": (
        errors.DomainError,
        '[domain] fit_glm: `engine` must be an engine or one of "fused", "numpy", "torch", "jax", "cupy", got 3',
        lambda: fit(engine=3),
    ),
    "a table on another engine": (
        errors.UnsupportedError,
        "[unsupported] glm with engine 'torch' is not supported: a table's columns belong to the host; "
        "use isostat.fit_glm with arrays of that engine",
        lambda: table("y ~ age", engine="torch"),
    ),
    "unknown backend": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with backend='dask' is not supported: {LATER}; use backend=\"local\"",
        lambda: fit(backend="dask"),
    ),
    "unknown precision": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with precision='float16' is not supported: {LATER}; "
        "give arrays of the dtype that you want",
        lambda: fit(precision="float16"),
    ),
    "unknown method": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with method='firth' is not supported: {LATER}; use method=\"irls\"",
        lambda: fit(method="firth"),
    ),
    "a penalty": (
        errors.UnsupportedError,
        f"[unsupported] fit_glm with l2=0.5 is not supported: {LATER}; fit without a penalty",
        lambda: fit(l2=0.5),
    ),
    "unknown kind of weights": (
        errors.DomainError,
        '[domain] glm: `weights_kind` must be precision, frequency or sampling, got "counts"',
        lambda: fit(weights_kind="counts"),
    ),
    "unknown residuals": (
        errors.DomainError,
        '[domain] residuals: `kind` must be deviance, pearson, response, working or quantile, got "raw"',
        lambda: fit().residuals("raw"),
    ),
    "unknown covariance": (
        errors.DomainError,
        '[domain] robust: `kind` must be HC0, HC1, HC2 or HC3, got "HC9"',
        lambda: fit().robust("HC9"),
    ),
    "profile intervals": (
        errors.UnsupportedError,
        f"[unsupported] confint with method='profile' is not supported: {LATER}; use method=\"wald\"",
        lambda: fit().confint(method="profile"),
    ),
    # -- pairs of family and link -------------------------------------------------------------------------
    **{
        f"{family} with {link}": (
            errors.UnsupportedError,
            f'[unsupported] family "{family}" with link "{link}" is not supported: the link reaches means between 0 and 1 '
            'only, the family has positive means; the nearest link is "log"',
            lambda family=family, link=link: fit(y=Y + 1.0, family=family, link=link),
        )
        for family in ("poisson", "gamma", "inverse_gaussian", "negative_binomial", "quasipoisson")
        for link in ("logit", "probit", "cloglog", "loglog", "cauchit")
    },
    # -- parameters ---------------------------------------------------------------------------------------
    **{
        f"theta of {theta}": (
            errors.DomainError,
            f"[domain] fit_glm: `theta` must be positive and finite, got {shown}",
            lambda theta=theta: fit(family=families.negative_binomial(theta)),
        )
        for theta, shown in ((0.0, "0"), (-1.0, "-1"), (math.nan, "NaN"), (math.inf, "inf"))
    },
    **{
        f"power of {power}": (
            errors.DomainError,
            f"[domain] fit_glm: `power` must lie strictly between 1 and 2, got {shown}",
            lambda power=power: fit(family=families.tweedie(power)),
        )
        for power, shown in ((1.0, "1"), (2.0, "2"), (2.5, "2.5"), (0.0, "0"), (math.nan, "NaN"))
    },
    "unknown variance": (
        errors.DomainError,
        '[domain] quasi: `variance` must be constant, mu, mu^2, mu^3 or mu(1-mu), got "mu^4"',
        lambda: fit(family=families.quasi("mu^4")),
    ),
    "power link of NaN": (
        errors.DomainError,
        "[domain] link power: `power` must be finite, got NaN",
        lambda: fit(y=Y + 1.0, family="gamma", link=links.power(math.nan)),
    ),
    # -- options ------------------------------------------------------------------------------------------
    "start of the wrong length": (
        errors.ShapeError,
        "[shape] fit_glm: `start` must have length 3, one value for each coefficient, got length 2",
        lambda: fit(start=[1.0, 2.0]),
    ),
    "start of two dimensions": (
        errors.ShapeError,
        "[shape] fit_glm: `start` must have one dimension, got shape (3, 1)",
        lambda: fit(start=np.ones((3, 1))),
    ),
    "start of NaN": (
        errors.DomainError,
        "[domain] fit_glm: `start` must be finite, got nan at position 2",
        lambda: fit(start=[1.0, 2.0, math.nan]),
    ),
    "start of text": (
        errors.DtypeError,
        "[dtype] `start` must have dtype float, got <U4; give one number per coefficient",
        lambda: fit(start="zero"),
    ),
    **{
        f"tol of {tol}": (
            errors.DomainError,
            f"[domain] fit_glm: `tol` must be positive and finite, got {shown}",
            lambda tol=tol: fit(tol=tol),
        )
        for tol, shown in ((0.0, "0"), (-1.0, "-1"), (math.nan, "NaN"), (math.inf, "inf"))
    },
    "tol of text": (
        errors.DtypeError,
        "[dtype] `tol` must have dtype float, got str; give a number",
        lambda: fit(tol="small"),
    ),
    **{
        f"max_iter of {max_iter}": (
            errors.DomainError,
            f"[domain] fit_glm: `max_iter` must be at least 1, got {max_iter}",
            lambda max_iter=max_iter: fit(max_iter=max_iter),
        )
        for max_iter in (0, -1)
    },
    "max_iter of a fraction": (
        errors.DtypeError,
        "[dtype] `max_iter` must have dtype integer, got float; give a whole number",
        lambda: fit(max_iter=1.5),
    ),
    "no workers": (
        errors.DomainError,
        "[domain] fit_glm: `num_workers` must be at least 1, got 0",
        lambda: fit(num_workers=0),
    ),
    "level of per cents": (
        errors.DomainError,
        "[domain] interval: `level` must lie strictly between 0 and 1, got 95",
        lambda: fit().confint(level=95),
    ),
    # -- tables -------------------------------------------------------------------------------------------
    "unknown column": (
        errors.UnknownColumnError,
        '[unknown-column] there is no column "agee"; the data have "y", "age", "g", "holes"; did you mean "age"?',
        lambda: table("y ~ agee"),
    ),
    "unknown column of weights": (
        errors.UnknownColumnError,
        '[unknown-column] there is no column "wei"; the data have "y", "age", "g", "holes"; '
        "check the spelling against the columns of the data",
        lambda: table("y ~ age", weights="wei"),
    ),
    "NaN in a column": (
        errors.MissingValueError,
        '[missing-value] `holes` holds NaN in row 3 of column "holes"; drop such rows with na="drop", or fill them before '
        "the fit",
        lambda: table("y ~ holes"),
    ),
    "unseen level": (
        errors.UnseenLevelError,
        '[unseen-level] column "g" holds level "d" in row 1, which the fit has not seen (it knows "a", "b", "c"); '
        'pass new_levels="na" or new_levels="baseline" to predict, or refit with this level',
        lambda: table("y ~ g").predict({"g": ["a", "d"]}),
    ),
    "a formula that ends early": (
        errors.FormulaError,
        '[formula] `)` is needed, but the formula ends here at position 8 of "y ~ (age"',
        lambda: table("y ~ (age"),
    ),
    "no table": (
        errors.DtypeError,
        "[dtype] `data` must have dtype of a table (pandas, polars, pyarrow, a dict of columns, an Arrow stream or a path), "
        "got ndarray; use isostat.fit_glm for arrays",
        lambda: iso.glm("y ~ x", X),
    ),
    "unknown na": (
        errors.DomainError,
        '[domain] glm: `na` must be "raise" or "drop", got "omit"',
        lambda: table("y ~ age", na="omit"),
    ),
}
