/// The side file vectors.<rank> of an archive: counts per destination of vector collectives (docs/formats/otf2.md,
/// "vectors.<rank>"). Pure, thread-safe. Cost: linear in the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace mora::trace::otf2 {

/// `content`: the whole file. Another magic gives no vectors; damage ends the list before it.
inline std::vector<std::vector<std::uint64_t>> read_vectors(std::string_view content) {
  std::vector<std::vector<std::uint64_t>> all;
  if (content.size() < 16 || content.substr(0, 8) != "MORAVEC1") return all;
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, content.data() + at, 8);
    return value;
  };
  std::size_t at = 16;
  for (std::uint64_t i = 0, n = word(8); i < n && at + 8 <= content.size(); ++i) {
    const std::uint64_t length = word(at);
    at += 8;
    if (length > (content.size() - at) / 8) break;
    std::vector<std::uint64_t> one(length);
    if (length > 0) std::memcpy(one.data(), content.data() + at, length * 8);
    at += length * 8;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace mora::trace::otf2
