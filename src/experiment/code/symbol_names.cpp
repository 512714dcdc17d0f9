#include "experiment/code/symbol_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace mora::experiment {

std::string demangled(const std::string& symbol) {
  if (symbol.starts_with("_Z")) {  // else "h" would be the type `unsigned char`
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status == 0) return text.get();
  }
  const auto procedure = symbol.find("_MOD_");
  if (!symbol.starts_with("__") || procedure == std::string::npos) return symbol;
  return symbol.substr(2, procedure - 2) + "::" + symbol.substr(procedure + 5);
}

std::string written_name(const std::string& symbol, const std::string& name) {
  const bool is_of_fortran = !name.empty() && (symbol == name + "_" || symbol == name + "__");
  return symbol.empty() || is_of_fortran ? demangled(name) : demangled(symbol);
}

}  // namespace mora::experiment
