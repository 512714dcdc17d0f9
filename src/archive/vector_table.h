/// Counts per destination of vector collectives, each different vector once: the side file `vectors.<rank>` of an
/// archive (docs/formats/otf2.md). Memory: one copy of each different vector. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mora::archive {

class VectorTable {
 public:
  /// Its index in the file; equal vectors have one.
  std::uint32_t intern(std::vector<std::uint64_t> counts);
  bool empty() const { return order_.empty(); }
  /// The bytes of vectors.<rank> (docs/formats/otf2.md).
  std::string file_content() const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& v) const;
  };
  std::unordered_map<std::vector<std::uint64_t>, std::uint32_t, Hash> ids_;
  std::vector<const std::vector<std::uint64_t>*> order_;
};

}  // namespace mora::archive
