/// Marks of journals as regions: one per kind, name, place and number of processes (marks.h).
#include "experiment/journals/marks.h"

#include <fmt/format.h>

#include <tuple>

namespace mora::experiment {

std::string Mark::place() const { return file.empty() ? "an unknown place" : fmt::format("{}:{}", file, line); }

bool MarkTable::take(const journal::Record& r) {
  if (r.shape == MORA_SHAPE_DEFINE_MARK) {
    const auto kind = journal::pair_low(r.payload[0]);
    if (kind < 1 || kind > 5) return true;  // its marks are counted as unknown
    const auto file = static_cast<std::uint32_t>(journal::pair_low(r.payload[1]));
    const auto name = static_cast<std::uint32_t>(journal::pair_high(r.payload[1]));
    const auto* const text = reinterpret_cast<const char*>(&r.payload[2]);
    marks_[r.object] = {static_cast<MarkKind>(kind == 5 ? 4 : kind) /* a phase is a region */,
                        static_cast<std::uint32_t>(journal::pair_high(r.payload[0])), std::string(text, file),
                        std::string(text + (std::size_t{file} + 7) / 8 * 8, name)};
    return true;
  }
  if (r.shape == MORA_SHAPE_MARK_BEGIN) {
    if (const auto* const mark = find(r.object))
      regions_.emplace(std::pair(r.object, replication(*mark, journal::pair_low(r.payload[0]))), archive::no_id);
    return true;
  }
  return r.shape == MORA_SHAPE_MARK_END;
}

const Mark* MarkTable::find(std::uint32_t number) const {
  const auto it = marks_.find(number);
  return it == marks_.end() ? nullptr : &it->second;
}

std::uint32_t MarkTable::replication(const Mark& mark, std::int32_t argument) const {
  if (mark.kind == MarkKind::sequential) return archive::no_id;
  return mark.kind == MarkKind::replicated && argument > 1 ? static_cast<std::uint32_t>(argument) : 1;
}

std::uint32_t MarkTable::region(std::uint32_t number, std::int32_t argument) const {
  const auto* const mark = find(number);
  if (mark == nullptr) return archive::no_id;
  const auto it = regions_.find({number, replication(*mark, argument)});
  return it == regions_.end() ? archive::no_id : it->second;
}

void number_marks(const std::vector<MarkTable*>& tables, std::vector<archive::Region>& regions) {
  using Key = std::tuple<std::string, std::uint32_t, MarkKind, std::string, std::uint32_t>;
  const auto key_of = [](const Mark& m, std::uint32_t replication) {
    return Key(m.file, m.line, m.kind, m.name, replication);
  };
  std::map<Key, std::uint32_t> numbers;
  for (const auto* table : tables)
    for (const auto& [id, region] : table->regions_) numbers.emplace(key_of(table->marks_.at(id.first), id.second), 0);
  for (auto& [key, number] : numbers) {
    const auto& [file, line, kind, name, replication] = key;
    number = static_cast<std::uint32_t>(regions.size());
    static constexpr const char* names[] = {"", "interval", "sequential", "replicated"};
    archive::Region region;
    region.function = kind == MarkKind::region ? name : names[static_cast<std::uint32_t>(kind)];
    region.file = file;
    region.line = line;
    region.kind = archive::RegionKind::mark;
    region.replication = replication;
    regions.push_back(std::move(region));
  }
  for (auto* table : tables)
    for (auto& [id, region] : table->regions_) region = numbers.at(key_of(table->marks_.at(id.first), id.second));
}

}  // namespace mora::experiment
