#include "serve/traffic/traffic.h"

#include <algorithm>
#include <bit>

#include "base/json/json_writer.h"
#include "serve/traffic/rank_order.h"

namespace mora::serve {

using trace::EarlType;

namespace {

constexpr std::uint32_t ordered_at_most = 1 << 17;  ///< items
constexpr auto farthest = std::int64_t{1} << 62;

/// A name for each item, where they are nodes.
struct Items {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_rank;  ///< position
  std::vector<std::uint32_t> at;       ///< position -> rank or node; empty: as they are
  std::vector<std::string> names;      ///< by position; of nodes
};

Items by_rank(std::uint32_t ranks) {
  Items items{ranks, {}, {}, {}};
  items.of_rank.resize(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) items.of_rank[r] = r;
  return items;
}

Items by_node(const trace::Definitions& all) {
  Items items{static_cast<std::uint32_t>(std::max<std::size_t>(1, all.nodes.size())), {}, {}, {}};
  items.of_rank.resize(all.world_size);
  for (const trace::Location& location : all.locations) {
    if (location.rank < all.world_size && location.node < items.count) items.of_rank[location.rank] = location.node;
  }
  for (std::uint32_t n = 0; n < items.count; ++n) items.names.push_back(n < all.nodes.size() ? all.nodes[n].name : "");
  return items;
}

void put_in_order(Items& items, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> position(items.count);
  for (std::uint32_t p = 0; p < items.count; ++p) position[order[p]] = p;
  for (std::uint32_t& item : items.of_rank) item = position[item];
  std::vector<std::string> names;
  for (const std::uint32_t item : order) {
    if (item < items.names.size()) names.push_back(items.names[item]);
  }
  items.names = std::move(names);
  items.at = order;
}

bool is_inside(const std::vector<std::pair<Nanoseconds, Nanoseconds>>& stretches, Nanoseconds time) {
  const auto after = std::upper_bound(stretches.begin(), stretches.end(), time,
                                      [](Nanoseconds t, const auto& stretch) { return t < stretch.first; });
  return after != stretches.begin() && time <= std::prev(after)->second;
}

}  // namespace

bool TrafficChoice::is_all() const {
  return !from && !until && region == trace::no_id && messages && transfers && executions == nullptr;
}

Result<TrafficChoice> asked_traffic(const Query& query, std::size_t regions) {
  TrafficChoice choice;
  for (const auto& [name, value] : {std::pair{"from", &choice.from}, {"until", &choice.until}}) {
    if (query.text(name).empty()) continue;
    MORA_TRY(*value, query.integer(name, 0, -farthest, farthest));
  }
  if (choice.from && choice.until && *choice.until <= *choice.from)
    return fail(ErrorKind::usage, "the time has no length: 'until' must be later than 'from'");
  if (!query.text("region").empty()) {
    MORA_TRY(const auto region, query.integer("region", 0, 0, static_cast<std::int64_t>(regions) - 1));
    choice.region = static_cast<trace::RegionId>(region);
  }
  const std::string kind = query.text("kind", "all");
  if (kind != "all" && kind != "messages" && kind != "transfers")
    return fail(ErrorKind::usage, "'kind' is all, messages or transfers");
  choice.messages = kind != "transfers";
  choice.transfers = kind != "messages";
  return choice;
}

Traffic::Traffic(const trace::Definitions& definitions, Nanoseconds duration, const TrafficChoice& choice)
    : definitions_(definitions),
      choice_(choice),
      from_(choice.from.value_or(0)),
      until_(std::max(choice.until.value_or(duration), from_ + 1)),
      ranks_(definitions.world_size),
      calls_(definitions.regions.size()) {}

std::optional<Traffic::Passed> Traffic::passed_at(const trace::EventColumns& events, std::uint64_t i) const {
  const EarlType type = events.type[i];
  if (type != EarlType::recv && type != EarlType::send && type != EarlType::put_1ts && type != EarlType::get_1ts &&
      type != EarlType::atomic_1ts)
    return {};
  const trace::EventDetail detail = events.detail_of(i);
  const std::uint32_t here = definitions_.locations[events.location[i]].rank, forward = events.forward[i];
  // The event that ends a transfer, if there is one: a get's names the target, an atomic operation's has what it
  // fetched.
  const auto end = [&] { return events.detail_of(forward - 1); };
  switch (type) {
    case EarlType::recv: {
      const std::uint64_t begin = detail.link != 0 ? detail.link : forward;
      if (begin == 0) return {};
      return Passed{detail.peer, here, detail.bytes, begin, true};
    }
    case EarlType::send:
      if (forward != 0) return {};  // its reception counts
      return Passed{here, detail.peer, detail.bytes, i + 1, true};
    case EarlType::get_1ts:
      return Passed{forward == 0 ? here : end().peer, detail.peer, detail.bytes, detail.link != 0 ? detail.link : i + 1,
                    false};
    default:
      return Passed{here, detail.peer,
                    detail.bytes + (type == EarlType::atomic_1ts && forward != 0 ? end().received : 0), i + 1, false};
  }
}

void Traffic::keep(KeptBytes& bytes) {
  struct Pair {
    std::uint64_t of;
    Amount amount;
  };
  std::vector<Pair> pairs;
  for (const auto& [of, amount] : pairs_) pairs.push_back({of, amount});
  bytes(pairs);
  pairs_.clear();
  for (const Pair& pair : pairs) pairs_[pair.of] = pair.amount;
  bytes(sizes_);
  bytes(calls_);
  bytes(bins_);
  bytes(all_);
}

void Traffic::pass(const trace::EventColumns& events, std::uint64_t i) {
  const auto passed = passed_at(events, i);
  if (!passed || passed->from >= ranks_ || passed->to >= ranks_) return;
  if (!(passed->is_message ? choice_.messages : choice_.transfers)) return;
  const std::uint64_t begin = passed->begin - 1;
  const Nanoseconds time = events.time[begin];
  const std::uint32_t enter = events.enter[begin];
  const trace::RegionId region = enter == 0 ? trace::no_id : events.region(enter - 1);
  if (choice_.region != trace::no_id && region != choice_.region) return;
  if ((choice_.from && time < *choice_.from) || (choice_.until && time >= *choice_.until)) return;
  if (choice_.executions != nullptr) {
    const std::uint32_t location = events.location[begin];
    if (location >= choice_.executions->size() || !is_inside((*choice_.executions)[location], time)) return;
  }
  const Amount one{1, passed->bytes};
  pairs_[std::uint64_t{passed->from} << 32 | passed->to].add(one);
  sizes_[static_cast<std::size_t>(std::bit_width(passed->bytes))].add(one);
  if (region < calls_.size()) calls_[region].add(one);
  const auto bin = static_cast<unsigned __int128>(std::max<Nanoseconds>(0, time - from_)) * time_bins /
                   static_cast<std::uint64_t>(until_ - from_);
  bins_[std::min<std::size_t>(time_bins - 1, static_cast<std::size_t>(bin))].add(one);
  all_.add(one);
}

void Traffic::read(const trace::View& view) {
  const trace::EventColumns& events = view.columns();
  for (std::uint64_t i = 0; i < events.size; ++i) {
    if (i % (1 << 16) == 0) view.forget_before(i + 1);
    pass(events, i);
  }
}

std::map<std::pair<std::uint32_t, std::uint32_t>, Traffic::Amount> Traffic::pairs_of(
    const std::vector<std::uint32_t>& item) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Amount> pairs;
  for (const auto& [key, amount] : pairs_) pairs[{item[key >> 32], item[key & UINT32_MAX]}].add(amount);
  return pairs;
}

Result<std::string> Traffic::json(const Query& query) const {
  const bool is_by_node = query.text("by") == "node", is_clustered = query.text("order") == "clustered";
  Items items = is_by_node ? by_node(definitions_) : by_rank(ranks_);
  auto pairs = pairs_of(items.of_rank);
  if (is_clustered) {
    if (items.count > ordered_at_most)
      return fail(ErrorKind::usage, "so many ranks are not put into another order", std::to_string(items.count),
                  "at most " + std::to_string(ordered_at_most));
    ExchangedBytes bytes;
    for (const auto& [pair, amount] : pairs) bytes[pair] = amount.bytes;
    put_in_order(items, clustered_order(items.count, bytes));
    pairs = pairs_of(items.of_rank);
  }
  const std::int64_t all = items.count;
  MORA_TRY(const auto first, query.integer("first", 0, 0, std::max<std::int64_t>(0, all - 1)));
  MORA_TRY(const auto count, query.integer("count", std::max<std::int64_t>(1, all - first), 1, UINT32_MAX));
  MORA_TRY(const auto cells, query.integer("cells", 256, 1, 1024));
  const std::int64_t shown = std::min<std::int64_t>(count, all - first);
  const std::int64_t group = std::max<std::int64_t>(1, (shown + cells - 1) / cells);
  std::map<std::pair<std::int64_t, std::int64_t>, Amount> joined;
  for (const auto& [pair, amount] : pairs) {
    const std::int64_t from = pair.first - first, to = pair.second - first;
    if (from >= 0 && to >= 0 && from < shown && to < shown) joined[{from / group, to / group}].add(amount);
  }
  JsonWriter json;
  json.begin_object().fields("ranks", items.count, "by", is_by_node ? "node" : "rank", "first", first, "shown", shown,
                             "group", group, "messages", all_.messages, "bytes", all_.bytes, "from", from_, "until",
                             until_);
  if (!items.names.empty()) json.fields("names", items.names);
  if (!items.at.empty()) json.fields("order", items.at);
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
  json.end_array().key("calls").begin_line_array();
  for (std::size_t region = 0; region < calls_.size(); ++region) {
    if (calls_[region].messages == 0) continue;
    json.begin_line_array().unsigned_integer(region);
    json.unsigned_integer(calls_[region].messages).unsigned_integer(calls_[region].bytes).end_array();
  }
  json.end_array().key("over_time").begin_line_array();
  for (const Amount& bin : bins_) {
    json.begin_line_array().unsigned_integer(bin.messages).unsigned_integer(bin.bytes).end_array();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace mora::serve
