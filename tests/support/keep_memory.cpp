// Part of every test program: what is freed stays with the process. Tests of readers open thousands of small archives,
// each of which takes and frees some MiB of OTF2's chunks: giving these back to the kernel and taking them again
// (zeroed, page by page) was nine tenths of the time of the fault tests.
#include <malloc.h>

namespace {

const bool kept = [] {
  constexpr int all = 1 << 30;
  mallopt(M_TRIM_THRESHOLD, all);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TOP_PAD, 64 << 20);
  return true;
}();

}  // namespace
