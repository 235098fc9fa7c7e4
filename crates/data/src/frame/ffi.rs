//! Import over the Arrow C stream interface. The one module of this crate with unsafe code.
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::RecordBatchReader;
use isostat_base::{Error, Result};

use super::arrow::{frame_of_batches, Wanted};
use super::Frame;

/// A frame of a stream of record batches, as `__arrow_c_stream__` gives it. The stream is read to its end, its
/// chunks are joined.
///
/// # Safety
/// `stream` must point to a valid `ArrowArrayStream` that nobody else reads. It is taken over: what stays behind
/// is an empty, released stream, so that the owner of the memory may free it as usual.
///
/// # Errors
/// [`Error::Dtype`] if the stream is no table; [`Error::Domain`] if its producer fails.
pub unsafe fn frame_of_stream(stream: *mut FFI_ArrowArrayStream, wanted: Wanted<'_>) -> Result<Frame> {
    if stream.is_null() {
        return Err(Error::domain("arrow stream", "stream", "be a valid pointer", "null"));
    }
    // SAFETY: the caller says that the pointer is valid and ours alone; `from_raw` moves the stream out of it.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream) }.map_err(|e| Error::Dtype {
        parameter: "data".into(),
        expected: "a table: a stream of record batches".into(),
        found: e.to_string(),
        remedy: "give a data frame or table, not a single array".into(),
    })?;
    let schema = reader.schema();
    let batches = reader
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|e| Error::domain("arrow stream", "data", "be readable", e))?;
    frame_of_batches(&schema, &batches, wanted)
}
