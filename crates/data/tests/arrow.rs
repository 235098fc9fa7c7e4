//! Import over the Arrow C stream: types, nulls, chunks, dictionaries.
#![cfg(feature = "arrow")]
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Int16Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int64Array, Int8Array, LargeStringArray, ListArray, NullArray, RecordBatch, RecordBatchIterator,
    StringArray, StringViewArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use isostat_base::{Error, Result};
use isostat_data::frame::ffi::frame_of_stream;
use isostat_data::{Column, ColumnKind, DesignOptions, Formula, Frame, ModelSpec, MISSING};

fn import(fields: Vec<Field>, batches: Vec<Vec<ArrayRef>>) -> Result<Frame> {
    let schema = Arc::new(Schema::new(fields));
    let batches: Vec<_> =
        batches.into_iter().map(|arrays| Ok(RecordBatch::try_new(schema.clone(), arrays).unwrap())).collect();
    let reader = RecordBatchIterator::new(batches, schema.clone());
    let mut stream = FFI_ArrowArrayStream::new(Box::new(reader));
    // SAFETY: the stream is ours, valid and read by nobody else.
    unsafe { frame_of_stream(&mut stream, None) }
}

/// One column of each of the given arrays, all chunks of the same field.
fn import_chunks(chunks: Vec<ArrayRef>) -> Frame {
    let field = Field::new("v", chunks[0].data_type().clone(), true);
    import(vec![field], chunks.into_iter().map(|c| vec![c]).collect()).unwrap()
}

fn values(frame: &Frame) -> Vec<f64> {
    frame.numeric("v").unwrap().to_vec()
}

fn factor(frame: &Frame) -> (Vec<u32>, Vec<String>, bool) {
    match frame.column("v").unwrap() {
        Column::Factor { codes, levels, ordered, .. } => (codes.to_vec(), levels.to_vec(), *ordered),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_of_every_width_become_doubles() {
    let frame =
        import_chunks(vec![Arc::new(Int8Array::from(vec![-3, 5])), Arc::new(Int8Array::from(vec![7]))]);
    assert_eq!(values(&frame), [-3.0, 5.0, 7.0]);
    assert_eq!(frame.column("v").unwrap().kind(), ColumnKind::Integer);
    assert_eq!(values(&import_chunks(vec![Arc::new(UInt32Array::from(vec![u32::MAX]))])), [4294967295.0]);
    assert_eq!(values(&import_chunks(vec![Arc::new(Int64Array::from(vec![-1]))])), [-1.0]);
    assert_eq!(values(&import_chunks(vec![Arc::new(Float32Array::from(vec![0.5]))])), [0.5]);
}

#[test]
fn a_null_is_told_from_a_nan() {
    let chunk = |v: Vec<Option<f64>>| Arc::new(Float64Array::from(v)) as ArrayRef;
    let frame =
        import_chunks(vec![chunk(vec![Some(1.0), Some(f64::NAN)]), chunk(vec![None, Some(f64::INFINITY)])]);
    let column = frame.column("v").unwrap();
    let faults: Vec<_> = (0..4).map(|row| column.fault(row)).collect();
    assert_eq!(faults, [None, Some("NaN"), Some("null"), Some("inf")]);
}

#[test]
fn a_slice_with_an_offset_keeps_its_rows() {
    let array = Float64Array::from(vec![Some(1.0), None, Some(3.0), Some(4.0)]);
    let frame = import_chunks(vec![Arc::new(array.slice(1, 2))]);
    assert!(values(&frame)[0].is_nan());
    assert_eq!(values(&frame)[1], 3.0);
    let words = StringArray::from(vec!["x", "b", "a", "y"]);
    assert_eq!(factor(&import_chunks(vec![Arc::new(words.slice(1, 2))])).1, ["a", "b"]);
}

#[test]
fn strings_of_every_kind_become_sorted_factors() {
    let words = vec![Some("b"), None, Some("A"), Some("a"), Some("b")];
    let expected = (vec![2, MISSING, 0, 1, 2], vec!["A".to_string(), "a".into(), "b".into()], false);
    assert_eq!(factor(&import_chunks(vec![Arc::new(StringArray::from(words.clone()))])), expected);
    assert_eq!(factor(&import_chunks(vec![Arc::new(LargeStringArray::from(words.clone()))])), expected);
    assert_eq!(factor(&import_chunks(vec![Arc::new(StringViewArray::from(words))])), expected);
    let chunks: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from(vec!["b"])), Arc::new(StringArray::from(vec!["a"]))];
    assert_eq!(factor(&import_chunks(chunks)), (vec![1, 0], vec!["a".into(), "b".into()], false));
}

#[test]
fn dictionaries_of_chunks_become_one() {
    let chunk = |keys: Vec<Option<i8>>, labels: Vec<&str>| {
        let keys = Int8Array::from(keys);
        Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::new(StringArray::from(labels)))) as ArrayRef
    };
    let first = chunk(vec![Some(0), None, Some(1)], vec!["low", "high"]);
    let second = chunk(vec![Some(0), Some(1)], vec!["high", "top"]);
    let levels = vec!["low".to_string(), "high".into(), "top".into()];
    assert_eq!(factor(&import_chunks(vec![first, second])), (vec![0, MISSING, 1, 1, 2], levels, false));
}

#[test]
fn the_order_of_a_dictionary_comes_from_its_field() {
    let keys = arrow_array::Int16Array::from(vec![1, 0]);
    let labels = Arc::new(Int64Array::from(vec![10, 9]));
    let array: ArrayRef = Arc::new(DictionaryArray::<Int16Type>::new(keys, labels));
    let field = Field::new("v", array.data_type().clone(), true).with_dict_is_ordered(true);
    let frame = import(vec![field], vec![vec![array]]).unwrap();
    assert_eq!(factor(&frame), (vec![1, 0], vec!["10".into(), "9".into()], true));
}

#[test]
fn booleans_and_columns_of_nulls_are_read() {
    let frame = import_chunks(vec![Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))]);
    assert_eq!(frame.column("v").unwrap().kind(), ColumnKind::Boolean);
    assert_eq!(frame.column("v").unwrap().fault(1), Some("null"));
    let frame = import_chunks(vec![Arc::new(NullArray::new(2))]);
    assert_eq!(frame.column("v").unwrap().fault(1), Some("null"));
}

#[test]
fn a_table_without_batches_has_no_rows() {
    let frame = import(vec![Field::new("v", DataType::Float64, true)], vec![]).unwrap();
    assert_eq!((frame.n_rows(), frame.names().len()), (0, 1));
}

#[test]
fn what_no_formula_can_use_is_refused_when_it_is_used() {
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1, 2]));
    let money: ArrayRef = Arc::new(Decimal128Array::from(vec![100, 200]));
    let lists: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(vec![
            Some(vec![Some(1)]),
            None,
        ]));
    let y: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let arrays = vec![("y", y), ("day", dates), ("price", money), ("tags", lists)];
    let fields = arrays.iter().map(|(name, a)| Field::new(*name, a.data_type().clone(), true)).collect();
    let frame = import(fields, vec![arrays.into_iter().map(|(_, a)| a).collect()]).unwrap();
    let learn =
        |text: &str| ModelSpec::learn(&Formula::parse(text).unwrap(), &frame, &DesignOptions::default());
    assert!(learn("y ~ 1").is_ok());
    for (column, word) in [("day", "days since"), ("price", "float64"), ("tags", "one column of each")] {
        let error = learn(&format!("y ~ {column}")).unwrap_err();
        assert!(
            matches!(&error, Error::Dtype { parameter, remedy, .. } if parameter == column && remedy.contains(word))
        );
    }
    assert!(matches!(learn("y ~ ."), Err(Error::Dtype { .. })));
}

#[test]
fn unwanted_columns_are_names_alone() {
    let schema = Arc::new(Schema::new(vec![
        Field::new("x", DataType::Utf8, false),
        Field::new("y", DataType::Float64, false),
    ]));
    let arrays: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from(vec!["q"])), Arc::new(Float64Array::from(vec![2.0]))];
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let mut stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(vec![Ok(batch)], schema)));
    let wanted = |name: &str| name == "y";
    // SAFETY: the stream is ours, valid and read by nobody else.
    let frame = unsafe { frame_of_stream(&mut stream, Some(&wanted)) }.unwrap();
    assert_eq!(frame.names(), ["x", "y"]);
    assert_eq!(frame.column("x").unwrap().kind(), ColumnKind::Opaque);
    assert!(stream.release().is_none(), "the stream is taken over");
}
