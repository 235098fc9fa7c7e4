//! The Python front of isostat.
use pyo3::prelude::*;

pub mod detect;
pub mod distribution;
pub mod error;
pub mod foreign;
pub mod glm;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(foreign::front::describe_array, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::module_of, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::array_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::register_array_type, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::front::map_unary, module)?)?;
    module.add_class::<glm::frame::PyFrame>()?;
    module.add_class::<glm::fit::GlmFit>()?;
    module.add_function(wrap_pyfunction!(glm::frame::formula_columns, module)?)?;
    module.add_function(wrap_pyfunction!(glm::entry::fit_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(glm::entry::fit_frame, module)?)?;
    module.add_function(wrap_pyfunction!(glm::functional::functional_glm, module)?)?;
    module.add_function(wrap_pyfunction!(glm::functional::loglik_at, module)?)?;
    module.add_function(wrap_pyfunction!(glm::predict::design_of_spec, module)?)?;
    module.add_function(wrap_pyfunction!(glm::predict::mean_at, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::quantile_residuals, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::two_sided, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::normal_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::t_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::f_sf, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::chi2_sf, module)?)?;
    Ok(())
}
