/// Names of functions for sentences. Pure functions; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace mora {

/// Of a demangled C++ function what a person calls it: without result, arguments of templates, parameters and what the
/// compiler adds behind them. "void a::solve<double, int>(Matrix<double>&) const" is "a::solve". Other names
/// ("phase(1)", those of C, Fortran, Python, "program+0x12ab") stay as they are.
std::string without_parameters(std::string_view name);

}  // namespace mora
