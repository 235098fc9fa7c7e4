//! Arrow record batches as a frame.
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Int8Type,
    UInt16Type, UInt32Type, UInt64Type, UInt8Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use isostat_base::{Error, Result};

use super::{Column, Frame, MISSING};

/// Which columns are read; nothing for all. The others keep their names and are refused when they are used.
pub type Wanted<'a> = Option<&'a dyn Fn(&str) -> bool>;

/// A frame of record batches of one schema; the batches are joined.
///
/// Integers, floats, booleans, strings and dictionaries of them are read. Any other column (dates, decimals,
/// nested values) is kept as [`Column::Opaque`] and refused when a formula uses it.
///
/// # Errors
/// [`Error::Shape`] or [`Error::Domain`] if the columns make no frame.
pub fn frame_of_batches(schema: &Schema, batches: &[RecordBatch], wanted: Wanted<'_>) -> Result<Frame> {
    let n_rows = batches.iter().map(RecordBatch::num_rows).sum();
    let mut columns = Vec::with_capacity(schema.fields().len());
    for (c, field) in schema.fields().iter().enumerate() {
        let arrays: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(c)).collect();
        let column = match wanted {
            Some(wanted) if !wanted(field.name()) => {
                opaque(n_rows, field.data_type(), "ask for it when the data are read")
            }
            _ => column(field, &arrays, n_rows)?,
        };
        columns.push((field.name().clone(), column));
    }
    Frame::new(columns)
}

fn opaque(n_rows: usize, data_type: &DataType, remedy: &str) -> Column {
    Column::Opaque { n_rows, dtype: data_type.to_string(), remedy: remedy.into() }
}

/// One column, joined over its chunks.
fn column(field: &Field, arrays: &[&ArrayRef], n_rows: usize) -> Result<Column> {
    Ok(match field.data_type() {
        DataType::Null => Column::float_optional(&vec![None; n_rows]),
        DataType::Boolean => {
            let values: Vec<Option<bool>> = arrays.iter().flat_map(|a| a.as_boolean().iter()).collect();
            Column::boolean_optional(&values)
        }
        DataType::Utf8 => Column::text_from(arrays.iter().flat_map(|a| a.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Column::text_from(arrays.iter().flat_map(|a| a.as_string::<i64>().iter())),
        DataType::Utf8View => Column::text_from(arrays.iter().flat_map(|a| a.as_string_view().iter())),
        DataType::Dictionary(_, values) if labels_of_type(values) => dictionary(field, arrays)?,
        data_type => match numeric_of(data_type, arrays, n_rows) {
            Some(column) => column,
            None => opaque(n_rows, data_type, remedy(data_type)),
        },
    })
}

fn numeric_of(data_type: &DataType, arrays: &[&ArrayRef], n_rows: usize) -> Option<Column> {
    Some(match data_type {
        DataType::Int8 => numeric::<Int8Type>(arrays, n_rows, true, f64::from),
        DataType::Int16 => numeric::<Int16Type>(arrays, n_rows, true, f64::from),
        DataType::Int32 => numeric::<Int32Type>(arrays, n_rows, true, f64::from),
        DataType::Int64 => numeric::<Int64Type>(arrays, n_rows, true, |v| v as f64),
        DataType::UInt8 => numeric::<UInt8Type>(arrays, n_rows, true, f64::from),
        DataType::UInt16 => numeric::<UInt16Type>(arrays, n_rows, true, f64::from),
        DataType::UInt32 => numeric::<UInt32Type>(arrays, n_rows, true, f64::from),
        DataType::UInt64 => numeric::<UInt64Type>(arrays, n_rows, true, |v| v as f64),
        DataType::Float16 => numeric::<Float16Type>(arrays, n_rows, false, |v| v.to_f64()),
        DataType::Float32 => numeric::<Float32Type>(arrays, n_rows, false, f64::from),
        DataType::Float64 => numeric::<Float64Type>(arrays, n_rows, false, |v| v),
        _ => return None,
    })
}

fn numeric<T: ArrowPrimitiveType>(
    arrays: &[&ArrayRef],
    n_rows: usize,
    integer: bool,
    to_f64: impl Fn(T::Native) -> f64,
) -> Column {
    let mut values: Vec<f64> = Vec::with_capacity(n_rows);
    let mut nulls: Option<Vec<bool>> = None;
    for array in arrays {
        let array = array.as_primitive::<T>();
        let start = values.len();
        values.extend(array.values().iter().map(|&v| to_f64(v)));
        let Some(mask) = array.nulls().filter(|mask| mask.null_count() > 0) else { continue };
        let all = nulls.get_or_insert_with(|| vec![false; n_rows]);
        for row in (0..mask.len()).filter(|&row| mask.is_null(row)) {
            values[start + row] = f64::NAN;
            all[start + row] = true;
        }
    }
    Column::Numeric { values: values.into(), nulls: nulls.map(Arc::from), integer }
}

/// Whether the values of a dictionary can be labels.
fn labels_of_type(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean)
        || data_type.is_integer()
}

/// The labels of a dictionary's values; nothing for a null.
fn labels(values: &ArrayRef) -> Vec<Option<String>> {
    let owned = |v: Option<&str>| v.map(str::to_string);
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => values.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => values.as_string_view().iter().map(owned).collect(),
        DataType::Boolean => values.as_boolean().iter().map(|v| v.map(|v| v.to_string())).collect(),
        data_type => match numeric_of(data_type, &[values], values.len()) {
            Some(column) => (0..column.len())
                .map(|row| match &column {
                    Column::Numeric { values, .. } if !values[row].is_nan() => Some(values[row].to_string()),
                    _ => None,
                })
                .collect(),
            None => vec![None; values.len()],
        },
    }
}

/// A factor. The dictionaries of all chunks become one: levels in the order in which they first stand there.
fn dictionary(field: &Field, arrays: &[&ArrayRef]) -> Result<Column> {
    let mut levels: Vec<String> = Vec::new();
    let mut code_of: HashMap<String, u32> = HashMap::new();
    let mut codes: Vec<u32> = Vec::with_capacity(arrays.iter().map(|a| a.len()).sum());
    for array in arrays {
        let array = array.as_any_dictionary();
        let map: Vec<u32> = labels(array.values())
            .into_iter()
            .map(|label| match label {
                None => MISSING,
                Some(label) => *code_of.entry(label.clone()).or_insert_with(|| {
                    levels.push(label);
                    levels.len() as u32 - 1
                }),
            })
            .collect();
        let keys = array.keys();
        let places = numeric_of(keys.data_type(), &[&keys.slice(0, keys.len())], keys.len());
        let Some(Column::Numeric { values, .. }) = places else {
            return Err(Error::domain("arrow stream", field.name(), "have integer keys", keys.data_type()));
        };
        codes.extend(values.iter().map(|&key| match key.is_nan() {
            true => MISSING,
            false => map.get(key as usize).copied().unwrap_or(MISSING),
        }));
    }
    // polars marks every Enum as ordered: the order of its levels is that of their listing, not a scale.
    let is_listing = field.metadata().keys().any(|key| key.starts_with("_PL_ENUM"));
    Column::categorical(codes, levels, !is_listing && field.dict_is_ordered().unwrap_or(false))
}

/// What to do with a column that no formula can use.
fn remedy(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => "cast the decimals to float64",
        data_type if data_type.is_temporal() => {
            "convert it to a number (such as days since a date) or to a category (such as the month)"
        }
        data_type if data_type.is_nested() => "make one column of each field or element",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "decode the bytes to strings or numbers"
        }
        _ => "convert it to numbers, booleans, strings or categories",
    }
}
