#include "serve/timeline/traffic.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/json/json_writer.h"

namespace mora::serve {

void Traffic::add(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  if (from >= ranks_ || to >= ranks_) return;
  const auto count = [bytes](Amount& amount) { ++amount.messages, amount.bytes += bytes; };
  count(pairs_[std::uint64_t{from} << 32 | to]);
  count(sizes_[static_cast<std::size_t>(std::bit_width(bytes))]);
  count(all_);
}

Result<std::string> Traffic::json(const Query& query) const {
  MORA_TRY(const auto first, query.integer("first", 0, 0, std::max<std::int64_t>(0, std::int64_t{ranks_} - 1)));
  MORA_TRY(const auto count, query.integer("count", std::int64_t{ranks_} - first, 1, UINT32_MAX));
  MORA_TRY(const auto cells, query.integer("cells", 256, 1, 1024));
  const std::int64_t shown = std::min<std::int64_t>(count, std::int64_t{ranks_} - first);
  const std::int64_t group = std::max<std::int64_t>(1, (shown + cells - 1) / cells);
  std::map<std::pair<std::int64_t, std::int64_t>, Amount> joined;
  for (const auto& entry : pairs_) {
    const std::int64_t from = static_cast<std::int64_t>(entry.first >> 32) - first;
    const std::int64_t to = static_cast<std::int64_t>(entry.first & UINT32_MAX) - first;
    if (from < 0 || to < 0 || from >= shown || to >= shown) continue;
    Amount& amount = joined[{from / group, to / group}];
    amount.messages += entry.second.messages;
    amount.bytes += entry.second.bytes;
  }
  JsonWriter json;
  json.begin_line_object().fields("ranks", ranks_, "first", first, "shown", shown, "group", group, "messages",
                                  all_.messages, "bytes", all_.bytes);
  json.key("cells").begin_line_array();
  for (const auto& [pair, amount] : joined) {
    json.begin_line_array().integer(pair.first).integer(pair.second);
    json.unsigned_integer(amount.messages).unsigned_integer(amount.bytes).end_array();
  }
  json.end_array().key("sizes").begin_line_array();
  for (std::size_t bits = 0; bits < sizes_.size(); ++bits) {
    if (sizes_[bits].messages == 0) continue;
    json.begin_line_array().number(bits == 0 ? 0 : static_cast<double>(std::uint64_t{1} << (bits - 1)) * 2 - 1);
    json.unsigned_integer(sizes_[bits].messages).unsigned_integer(sizes_[bits].bytes).end_array();
  }
  json.end_array().end_object();
  return json.str();
}

}  // namespace mora::serve
