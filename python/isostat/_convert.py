"""Conversion of what callers have to what the core takes. The one file that knows tables and lists."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isostat import _core
from isostat.errors import DomainError, DtypeError, MissingValueError, ShapeError

__all__ = ["aligned", "as_design", "as_frame", "as_vector", "has_index", "is_table", "split_counts"]


def _module(x: Any) -> str:
    return type(x).__module__.split(".")[0]


def is_table(x: Any) -> bool:
    """Whether an object is a data frame or table of a known library."""
    return _module(x) in ("pandas", "polars", "pyarrow") and hasattr(x, "columns")


def has_index(x: Any) -> bool:
    """Whether an object carries row labels that must match."""
    return _module(x) == "pandas" and hasattr(x, "index")


def aligned(owner: str, named: Sequence[tuple[str, Any]]) -> None:
    """Refuse pandas objects whose row labels differ: positions would silently pair unrelated rows.

    Raises
    ------
    ShapeError
        Naming both arguments.
    """
    indexed = [(name, x) for name, x in named if x is not None and has_index(x)]
    for name, x in indexed[1:]:
        first, reference = indexed[0]
        if len(x.index) == len(reference.index) and not x.index.equals(reference.index):
            raise ShapeError(
                f"[shape] {owner}: `{name}` must have the same index as `{first}`, got another order or other labels; "
                "align them first, or pass plain arrays"
            )


def as_frame(data: Any, wanted: Sequence[str] | None) -> Any:
    """Make the core's table of a data frame, a dict of columns, an Arrow stream or a path.

    Raises
    ------
    DtypeError, ShapeError, DomainError
    """
    if isinstance(data, _core.Frame):
        return data
    if isinstance(data, str) or hasattr(data, "__fspath__"):
        data = _read(str(data))
    if isinstance(data, Mapping):
        return _columns({name: data[name] for name in _chosen(list(data), wanted)})
    if _module(data) == "pandas" and hasattr(data, "columns"):
        names = [str(name) for name in data.columns]
        chosen = _chosen(names, wanted)
        _refuse_twins(names, chosen)
        return _columns({name: data.iloc[:, names.index(name)] for name in chosen}, len(data))
    if hasattr(data, "__arrow_c_stream__"):
        fields = _arrow_names(data)
        return _core.Frame.from_arrow(data.__arrow_c_stream__(), None if fields is None else _chosen(fields, wanted))
    raise DtypeError(
        "[dtype] `data` must have dtype of a table (pandas, polars, pyarrow, a dict of columns, an Arrow stream or a "
        f"path), got {type(data).__name__}; use isostat.fit_glm for arrays"
    )


def _refuse_twins(names: list[str], chosen: list[str]) -> None:
    """Refuse a column that is used and whose name stands twice: nobody can say which is meant."""
    twins = [name for name in dict.fromkeys(chosen) if names.count(name) > 1]
    if twins:
        raise DomainError(f'[domain] frame: `columns` must have names that differ, got "{twins[0]}" twice')


def _chosen(names: list[str], wanted: Sequence[str] | None) -> list[str]:
    """Restrict to the wanted columns; unknown names stay out, so that the core names them with all that exist."""
    if wanted is None or any(name not in names for name in wanted):
        return names
    return [name for name in names if name in set(wanted)]


def _arrow_names(data: Any) -> list[str] | None:
    names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    return [str(n) for n in names] if names is not None else None


def _read(path: str) -> Any:
    lower = path.lower()
    if lower.endswith((".parquet", ".pq")):
        from pyarrow import parquet  # type: ignore[import-untyped, unused-ignore]

        return parquet.read_table(path)
    if lower.endswith((".csv", ".csv.gz")):
        from pyarrow import csv  # type: ignore[import-untyped, unused-ignore]

        return csv.read_csv(path)
    raise DomainError(f'[domain] glm: `data` must be a path that ends in .parquet or .csv, got "{path}"')


def _columns(columns: Mapping[str, Any], n_rows: int | None = None) -> Any:
    return _core.Frame.from_columns([(str(name), _column(str(name), values)) for name, values in columns.items()])


def _column(name: str, values: Any) -> tuple[Any, ...]:
    """One column as the core takes it: kind, values, and what the kind needs."""
    if _module(values) == "pandas":
        return _pandas_column(name, values)
    if _module(values) in ("torch", "jax", "jaxlib", "cupy"):
        values = _core._array_to_numpy(values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ShapeError(f"[shape] data: `{name}` must have one dimension, got shape {array.shape}")
    return _numpy_column(name, array)


def _numpy_column(name: str, array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    kind = array.dtype.kind
    if kind == "f":
        return ("float", np.ascontiguousarray(array, dtype=np.float64))
    if kind in "iu":
        return ("integer", np.ascontiguousarray(array, dtype=np.int64))
    if kind == "b":
        return ("bool", np.ascontiguousarray(array))
    if kind in "UST":
        return ("text", [str(v) for v in array.tolist()])
    if kind == "O":
        return _object_column(name, array.tolist())
    raise DtypeError(
        f"[dtype] `{name}` must have dtype number, bool, string or category, got {array.dtype}; "
        "convert it to one of these first"
    )


def _object_column(name: str, values: list[Any]) -> tuple[Any, ...]:
    present = [v for v in values if not _is_missing(v)]
    optional = [None if _is_missing(v) else v for v in values]
    if all(isinstance(v, (bool, np.bool_)) for v in present) and present:
        return ("bool_optional", [None if v is None else bool(v) for v in optional])
    if all(isinstance(v, str) for v in present):
        return ("text", optional)
    if all(isinstance(v, (int, float, np.number)) for v in present):
        return ("float", np.asarray([np.nan if v is None else float(v) for v in optional]))
    first = next(v for v in present if not isinstance(v, str))
    raise DtypeError(
        f"[dtype] `{name}` must have dtype number, bool, string or category, got objects such as "
        f"{type(first).__name__}; convert the column first"
    )


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _pandas_column(name: str, values: Any) -> tuple[Any, ...]:
    dtype = values.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        levels = [str(level) for level in dtype.categories]
        return ("categorical", np.asarray(values.cat.codes, dtype=np.int64), levels, bool(dtype.ordered))
    if type(dtype).__name__ == "BooleanDtype":
        return (
            "bool_optional",
            [None if v is None else bool(v) for v in values.astype(object).where(values.notna(), None)],
        )
    if getattr(dtype, "kind", "O") in "iuf" and not isinstance(dtype, np.dtype):
        return ("float", values.to_numpy(dtype=np.float64, na_value=np.nan))
    return _numpy_column(name, values.to_numpy())


def as_design(X: Any) -> tuple[Any, list[str] | None]:
    """Make an array of X, with the names of its columns where it has some."""
    if _module(X) == "pandas" and hasattr(X, "columns"):
        _numbers_only(X.dtypes.items())
        return X.to_numpy(dtype=np.float64, na_value=np.nan), [str(c) for c in X.columns]
    if _module(X) == "polars" and hasattr(X, "columns"):
        for column in X.columns:
            if not (X[column].dtype.is_numeric() or str(X[column].dtype) == "Boolean"):
                raise _not_a_number(column, X[column].dtype)
        return X.to_numpy().astype(np.float64, copy=False), list(X.columns)
    if isinstance(X, (list, tuple)):
        return _from_list("X", X), None
    if type(X).__name__ == "MaskedArray":
        raise DtypeError(
            "[dtype] `X` must have dtype float, integer or bool without a mask, got a masked array; "
            "drop or fill the masked values first, e.g. with .filled(nan)"
        )
    if isinstance(X, np.ndarray) and X.dtype.kind not in "fiub":
        raise _not_a_number("X", X.dtype)
    return X, None


def _numbers_only(dtypes: Any) -> None:
    for column, dtype in dtypes:
        if getattr(dtype, "kind", "O") not in "iufb":
            raise _not_a_number(str(column), dtype)


def _not_a_number(name: str, dtype: Any) -> DtypeError:
    return DtypeError(
        f"[dtype] `{name}` must have dtype float, integer or bool, got {dtype}; "
        "use isostat.glm with a formula for factors, or convert it"
    )


def _from_list(name: str, values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Make an array of nested lists, all rows of one length."""
    lengths = [len(row) if isinstance(row, (list, tuple)) else None for row in values]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            want = "a number" if lengths[0] is None else f"length {lengths[0]}"
            got = "a number" if length is None else f"length {length}"
            raise ShapeError(
                f"[shape] fit_glm: `{name}` must have rows of one length ({want} as row 0), got {got} in row {row}"
            )
    array = np.asarray(values)
    if array.dtype.kind == "O" and any(v is None for v in array.ravel()):
        position = next(i for i, v in enumerate(array.ravel()) if v is None)
        row = position // (lengths[0] or 1)
        raise MissingValueError(
            f"[missing-value] `{name}` holds None in row {row}; drop such rows, or fill them before the fit"
        )
    if array.dtype.kind not in "fiub":
        raise _not_a_number(name, array.dtype)
    return array


def as_vector(name: str, values: Any) -> Any:
    """Make an array of a column: pandas, polars and lists become NumPy's, arrays stay."""
    if values is None or isinstance(values, (int, float)):
        return values
    if isinstance(values, (list, tuple)):
        return _from_list(name, values)
    if _module(values) == "pandas":
        if getattr(values.dtype, "kind", "O") not in "iufb":
            raise _not_a_number(name, values.dtype)
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    if _module(values) == "polars":
        if not (values.dtype.is_numeric() or str(values.dtype) == "Boolean"):
            raise _not_a_number(name, values.dtype)
        return values.to_numpy().astype(np.float64, copy=False)
    if isinstance(values, np.ndarray) and values.dtype.kind not in "fiub":
        raise _not_a_number(name, values.dtype)
    return values


def split_counts(y: Any, weights: Any) -> tuple[Any, Any]:
    """Turn an (n, 2) response of successes and failures into proportions weighted by their sum."""
    shape: tuple[int, ...] = tuple(getattr(y, "shape", ()))
    if len(shape) != 2 or shape[1] != 2:
        return y, weights
    successes, failures = y[:, 0], y[:, 1]
    if not _is_float(successes):
        successes, failures = successes * 1.0, failures * 1.0
    total = successes + failures
    is_empty = total == 0
    proportion = successes / (total + is_empty * 1.0)
    return proportion, total if weights is None else total * weights


def _is_float(x: Any) -> bool:
    return "float" in str(x.dtype)


def loaded(name: str) -> bool:
    """Whether a package is imported already: nothing is imported for the sake of asking."""
    return name in sys.modules
