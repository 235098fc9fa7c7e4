//! The Python front of isostat.
use pyo3::prelude::*;

pub mod detect;
pub mod error;
pub mod foreign;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(foreign::front::describe_array, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::module_of, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::array_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::register_array_type, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::map_unary, module)?)?;
    Ok(())
}
