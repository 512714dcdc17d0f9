/// Names of functions as their source has them, from what the linker knows. Pure functions; safe from any thread.
#pragma once

#include <string>

namespace mora::experiment {

/// C++ names as they were written, with class and parameters; gfortran's module procedures as "module::procedure"; all
/// others as they are.
std::string demangled(const std::string& symbol);

/// The name by debug information, which has both or one of them; empty for none. Of a Fortran procedure outside of
/// modules, symbol "step_", its name: "step".
std::string written_name(const std::string& symbol, const std::string& name);

}  // namespace mora::experiment
