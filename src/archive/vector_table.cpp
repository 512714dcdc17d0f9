#include "archive/vector_table.h"

namespace mora::archive {

std::size_t VectorTable::Hash::operator()(const std::vector<std::uint64_t>& v) const {
  std::uint64_t h = v.size();
  for (const auto x : v) h = (h ^ x) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

std::uint32_t VectorTable::intern(std::vector<std::uint64_t> counts) {
  const auto [it, inserted] = ids_.try_emplace(std::move(counts), static_cast<std::uint32_t>(order_.size()));
  if (inserted) order_.push_back(&it->first);
  return it->second;
}

std::string VectorTable::file_content() const {
  std::string out = "MORAVEC1";
  auto word = [&](std::uint64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  word(order_.size());
  for (const auto* v : order_) {
    word(v->size());
    for (const auto x : *v) word(x);
  }
  return out;
}

}  // namespace mora::archive
