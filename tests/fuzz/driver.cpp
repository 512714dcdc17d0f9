// libFuzzer's entry, compiled once per reader (MORA_FUZZ_READER).
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mora::fuzz::MORA_FUZZ_READER(std::as_bytes(std::span(data, size)));
  return 0;
}
