"""Tables as a fit takes them: every kind, every type of column, rows that drop, and what is refused word for word."""

from __future__ import annotations

from pathlib import Path

import isostat as iso
import numpy as np
import pandas as pd
import pytest
from isostat.errors import ConvergenceWarning
from tables import equal, small


def tables(d: pd.DataFrame, folder: Path) -> dict:
    import polars as pl
    import pyarrow as pa
    from pyarrow import parquet

    arrow = pa.Table.from_pandas(d, preserve_index=False)
    parquet.write_table(arrow, folder / "d.parquet")
    d.to_csv(folder / "d.csv", index=False)
    return {
        "polars": pl.from_pandas(d),
        "pyarrow": arrow,
        "record batches": arrow.to_reader(max_chunksize=7),
        "dict of arrays": {name: d[name].to_numpy() for name in d},
        "dict of lists": {name: d[name].tolist() for name in d},
        "parquet": str(folder / "d.parquet"),
        "path": folder / "d.parquet",
        "csv": folder / "d.csv",
        "nullable pandas": d.convert_dtypes(),
    }


KINDS = [
    "polars", "pyarrow", "record batches", "dict of arrays", "dict of lists", "parquet", "path", "csv",
    "nullable pandas",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_gives_the_same_fit(kind, tmp_path):
    d = small()
    formula = "y ~ x + g * b + k"
    first = iso.glm(formula, d, family="poisson", weights="w", exposure="e")
    other = iso.glm(formula, tables(d, tmp_path)[kind], family="poisson", weights="w", exposure="e")
    assert other.coef_names == first.coef_names
    np.testing.assert_array_equal(other.coef, first.coef)
    np.testing.assert_array_equal(other.stderr, first.stderr)


def test_levels_of_categories_keep_their_order():
    import polars as pl

    d = small()
    levels = ["c", "a", "b"]
    as_pandas = d.assign(g=pd.Categorical(d["g"], levels))
    as_polars = pl.from_pandas(d).with_columns(pl.col("g").cast(pl.Enum(levels)))
    for table in (as_pandas, as_polars):
        fit = iso.glm("y ~ g", table, family="poisson")
        assert fit.coef_names == ["(Intercept)", "ga", "gb"]
    means = d.groupby("g")["y"].mean()
    equal(np.exp(fit.coef[0]), means["c"], 1e-10)


def test_ordered_and_bool_columns():
    d = small()
    ordered = d.assign(g=pd.Categorical(d["g"], ["a", "b", "c"], ordered=True))
    fit = iso.glm("y ~ g + b", ordered, family="poisson")
    assert fit.coef_names == ["(Intercept)", "g.L", "g.Q", "bTRUE"]
    # Another coding of the same space.
    plain = iso.glm("y ~ g + b", d, family="poisson")
    assert plain.coef_names == ["(Intercept)", "gb", "gc", "bTRUE"]
    equal(fit.fitted, plain.fitted, 1e-10)


def test_weights_by_name_and_by_value():
    d = small()
    for values in (d["w"], d["w"].to_numpy(), d["w"].tolist()):
        equal(iso.glm("y ~ x", d, weights=values).coef, iso.glm("y ~ x", d, weights="w").coef)


def test_weights_follow_the_rows_that_stay():
    d = small()
    holes = d.assign(x=d["x"].where(d.index % 7 != 3))
    kept = d[d.index % 7 != 3]
    fit = iso.glm("y ~ x", holes, family="poisson", weights=d["w"].to_numpy(), exposure="e", na="drop")
    equal(fit.coef, iso.glm("y ~ x", kept, family="poisson", weights="w", exposure="e").coef)
    assert fit.n_dropped == len(d) - len(kept)
    np.testing.assert_array_equal(fit.rows_used, kept.index)
    assert fit.model_matrix().shape == (len(kept), 2)
    assert fit.predict().shape == (len(kept),)
    assert f"{len(kept)} rows ({fit.n_dropped} dropped for missing values)" in fit.summary()
    assert np.isnan(fit.predict(holes, na="keep")).sum() == fit.n_dropped


def test_terms_add_up_to_the_linear_predictor():
    d = small()
    fit = iso.glm("y ~ x * g + offset(log(e))", d, family="poisson")
    terms = fit.predict(d, type="terms")
    assert list(terms) == ["x", "g", "x:g"]
    equal(sum(terms.values()) + fit.coef[0] + np.log(d["e"]), fit.linear_predictor, 1e-10)
    assert list(fit.predict(d, type="terms", exclude=("x:g",))) == ["x", "g"]


# -- refusals that only tables know ----------------------------------------------------------------------------

REFUSALS = {
    "missing value": (
        "y ~ x",
        lambda d: d.assign(x=d["x"].where(d.index != 17)),
        {},
        '[missing-value] `x` holds NaN in row 17 of column "x"; drop such rows with na="drop", '
        "or fill them before the fit",
    ),
    "infinite value": (
        "y ~ x",
        lambda d: d.assign(x=d["x"].where(d.index != 17, np.inf)),
        {"na": "drop"},
        '[missing-value] `x` holds inf in row 17 of column "x"; leave such rows out, or replace the infinite values',
    ),
    "negative count": (
        "y ~ x",
        lambda d: d.assign(y=d["y"].where(d.index != 4, -1)),
        {},
        "[domain] poisson: `y` must be 0 or more and finite, got -1 in row 4",
    ),
    "short weights": (
        "y ~ x",
        lambda d: d,
        {"weights": [1.0, 2.0]},
        "[shape] glm: `weights` must have length 60, one value for each row of `data`, got length 2",
    ),
    "no rows": (
        "y ~ x",
        lambda d: d[:0],
        {},
        "[shape] formula: `data` must have at least one row, got 0 of 0 rows",
    ),
    "no row left": (
        "y ~ x",
        lambda d: d.assign(x=np.nan),
        {"na": "drop"},
        "[shape] formula: `data` must have at least one row without missing values, got 0 of 60 rows",
    ),
    "unknown column": (
        "y ~ xylem",
        lambda d: d.rename(columns={"x": "xylen"})[["y", "xylen"]],
        {},
        '[unknown-column] there is no column "xylem"; the data have "y", "xylen"; did you mean "xylen"?',
    ),
    "unknown weights": (
        "y ~ x",
        lambda d: d[["x", "y"]],
        {"weights": "ww"},
        '[unknown-column] there is no column "ww"; the data have "x", "y"; '
        "check the spelling against the columns of the data",
    ),
    "ragged columns": (
        "y ~ x",
        lambda d: {"y": [1, 2, 3], "x": [1.0, 2.0]},
        {},
        '[shape] frame: `x` must have 3 rows, as "y" has, got 2 rows',
    ),
    "zero exposure": (
        "y ~ x",
        lambda d: d.assign(e=0.0),
        {"exposure": "e"},
        "[domain] glm: `exposure` must be positive and finite, got 0 in row 0",
    ),
    "objects": (
        "y ~ x",
        lambda d: d.assign(x=[{} for _ in range(len(d))]),
        {},
        "[dtype] `x` must have dtype number, bool, string or category, got objects such as dict; "
        "convert the column first",
    ),
    "other index": (
        "y ~ x",
        lambda d: d,
        {"weights": pd.Series(np.ones(60), index=range(60, 0, -1))},
        "[shape] glm: `weights` must have the same index as `data`, got another order or other labels; "
        "align them first, or pass plain arrays",
    ),
    "one level": (
        "y ~ g",
        lambda d: d.assign(g="a"),
        {},
        '[domain] formula: `g` must have at least two levels in the rows used, got "a" alone in column "g"',
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_word_for_word(name):
    formula, change, options, message = REFUSALS[name]
    with pytest.raises(iso.errors.IsostatError) as caught:
        iso.glm(formula, change(small()), family="poisson", **options)
    assert str(caught.value) == message


def test_a_warning_comes_once():
    d = pd.DataFrame({"y": [0.0, 0, 0, 1, 1, 1], "x": [1.0, 2, 3, 4, 5, 6]})
    with pytest.warns(ConvergenceWarning) as caught:
        fit = iso.glm("y ~ x", d, family="binomial")
        _ = fit.fitted, fit.summary(), fit.predict(d)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_column_name_that_stands_twice_is_refused_where_it_is_used() -> None:
    d = small()
    twice = pd.concat([d, d[["x"]] + 1.0], axis=1)
    with pytest.raises(iso.errors.DomainError) as refused:
        iso.glm("y ~ x + k", twice, family="poisson")
    assert str(refused.value) == '[domain] frame: `columns` must have names that differ, got "x" twice'
    # A twin that no formula reads does no harm.
    equal(iso.glm("y ~ k", twice, family="poisson").coef, iso.glm("y ~ k", d, family="poisson").coef)
