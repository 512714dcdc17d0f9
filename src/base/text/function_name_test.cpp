#include "base/text/function_name.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(FunctionName, WithoutParameters) {
  const std::pair<const char*, const char*> names[] = {
      {"relax", "relax"},
      {"solver_mod::step", "solver_mod::step"},
      {"a.out+0x12ab", "a.out+0x12ab"},
      {"<module>", "<module>"},
      {"relax(double*, int)", "relax"},
      {"void a::solve<double, int>(Matrix<double>&) const", "a::solve"},
      {"miniFE::matvec<A<double, int>, V<std::pair<int, int> > >::operator()(A<double, int>&)",
       "miniFE::matvec::operator()"},
      {"std::vector<int> (anonymous namespace)::make<int>(int)", "(anonymous namespace)::make"},
      {"work(int)::{lambda(int, int)#2}::operator()(int, int) const", "work::{lambda#2}::operator()"},
      {"Solver::run(int) const::{lambda()#1}::operator()() const", "Solver::run::{lambda#1}::operator()"},
      {"bool operator<(Key const&, Key const&)", "operator<"},
      {"std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<"},
      {"Key::operator bool() const", "Key::operator bool"},
      {"operator new(unsigned long)", "operator new"},
      {"Iterator::operator->() const", "Iterator::operator->"},
      {"void f<(Kind)3>(int) [clone .isra.0]", "f"},
      {"void call<void (*)(int)>(void (*)(int))", "call"},
      {"main.operators(int)", "main.operators"},
      {"phase(1)", "phase(1)"},
      {"f(", "f"},
      {"operator", "operator"},
      {"(outer functions not known)", "(outer functions not known)"},
  };
  for (const auto& [name, shorter] : names) EXPECT_EQ(without_parameters(name), shorter) << name;
}

}  // namespace
}  // namespace mora
