#include "experiment/code/symbol_names.h"

#include <gtest/gtest.h>

namespace mora::experiment {
namespace {

TEST(SymbolNames, AreThoseOfTheSource) {
  EXPECT_EQ(written_name("_Z5relaxPdi", "relax"), "relax(double*, int)");
  EXPECT_EQ(written_name("__solver_MOD_step", "step"), "solver::step");
  EXPECT_EQ(written_name("hydro_", "hydro"), "hydro");
  EXPECT_EQ(written_name("read_input__", "read_input"), "read_input");  // -fsecond-underscore
  EXPECT_EQ(written_name("", "main"), "main");
  EXPECT_EQ(written_name("hydro_", ""), "hydro_");
  EXPECT_EQ(written_name("fast_copy", "copy"), "fast_copy");  // __asm__ names
  EXPECT_EQ(written_name("", ""), "");
}

TEST(SymbolNames, ThatNoRuleKnowsStayAsTheyAre) {
  for (const char* symbol : {"h", "_Z", "_Znonsense", "__MOD", "a_MOD_b", ""}) EXPECT_EQ(demangled(symbol), symbol);
}

}  // namespace
}  // namespace mora::experiment
