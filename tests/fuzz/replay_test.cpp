// The corpus as an ordinary test: what a driver once found stays found. valid-* must be accepted whole; whatever else
// is there, and every input cut anywhere or with any byte changed, may be refused but must break no promise. whole-*
// are read as they are only: each of their cuts costs a tenth of a second and more.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "readers.h"
#include "support/fault_stride.h"

namespace mora::fuzz {
namespace {

struct Input {
  std::string name, content;
};

std::vector<Input> corpus(const std::string& reader) {
  std::vector<Input> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MORA_FUZZ_CORPUS) + "/" + reader)) {
    auto content = read_file(entry.path().string());
    EXPECT_TRUE(content.has_value()) << entry.path();
    inputs.push_back({entry.path().filename().string(), content.value_or("")});
  }
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.name < b.name; });
  return inputs;
}

/// The inputs that are also cut and changed.
std::vector<Input> small_inputs(const std::string& reader) {
  std::vector<Input> inputs = corpus(reader);
  std::erase_if(inputs, [](const Input& input) { return input.name.starts_with("whole-"); });
  return inputs;
}

std::span<const std::byte> bytes(const std::string& content) { return std::as_bytes(std::span(content)); }

class Replay : public testing::TestWithParam<Reader> {};

TEST_P(Replay, ValidInputsAreAccepted) {
  int valid = 0;
  for (const Input& input : corpus(GetParam().name)) {
    const bool accepted = GetParam().read(bytes(input.content));
    if (!input.name.starts_with("valid-")) continue;
    EXPECT_TRUE(accepted) << input.name;
    ++valid;
  }
  EXPECT_GT(valid, 0);
}

TEST_P(Replay, CutInputsBreakNothing) {
  for (const Input& input : small_inputs(GetParam().name)) {
    const std::size_t step = fault_stride() * (1 + input.content.size() / 200);
    for (std::size_t size = 0; size < input.content.size(); size += step) {
      SCOPED_TRACE(input.name + " cut to " + std::to_string(size));
      const std::string cut = input.content.substr(0, size);
      GetParam().read(bytes(cut));
    }
  }
}

TEST_P(Replay, ChangedBytesBreakNothing) {
  for (const Input& input : small_inputs(GetParam().name)) {
    const std::size_t step = fault_stride() * (1 + input.content.size() / 200);
    for (std::size_t at = 0; at < input.content.size(); at += step) {
      for (const char byte : {'\0', '\x7f', '\xff', '9'}) {
        std::string changed = input.content;
        changed[at] = byte;
        GetParam().read(bytes(changed));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, Replay, testing::ValuesIn(readers),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace mora::fuzz
