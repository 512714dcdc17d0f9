#include "serve/timeline/rows.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/json/json_writer.h"
#include "base/numbers/rank_list.h"
#include "trace/text/event_text.h"

namespace mora::serve {

void RowOrder::order_by_node(Order& order) const {
  const auto node = [&](std::uint32_t l) { return definitions_.locations[l].node; };
  std::stable_sort(order.locations.begin(), order.locations.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return node(a) < node(b); });
  for (std::size_t row = 0; row < order.locations.size(); ++row) {
    const std::uint32_t here = node(order.locations[row]);
    if (row == 0 || here != node(order.locations[row - 1])) {
      order.groups.push_back({here < definitions_.nodes.size() ? definitions_.nodes[here].name : "no node", row, 0});
    }
    ++order.groups.back().count;
  }
}

void RowOrder::order_alike(Order& order) const {
  struct Cluster {
    const Times* leader;
    std::vector<std::uint32_t> members;
  };
  const auto length = [](const Times& t) { return std::accumulate(t.begin(), t.end(), Nanoseconds{0}); };
  const auto apart = [](const Times& a, const Times& b) {
    Nanoseconds sum = 0;
    for (std::size_t c = 0; c < categories; ++c) sum += a[c] > b[c] ? a[c] - b[c] : b[c] - a[c];
    return sum / 2;
  };
  std::vector<Cluster> clusters;
  for (const std::uint32_t location : order.locations) {
    const Times& here = time_[location];
    Cluster* nearest = nullptr;
    Nanoseconds distance = 0;
    for (Cluster& cluster : clusters) {
      const Nanoseconds now = apart(here, *cluster.leader);
      if (nearest == nullptr || now < distance) nearest = &cluster, distance = now;
    }
    const bool is_near = nearest != nullptr && distance <= std::max(length(here), length(*nearest->leader)) / 10;
    if (!is_near && clusters.size() < clusters_at_most)
      clusters.push_back({&here, {location}});
    else
      nearest->members.push_back(location);
  }
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const Cluster& a, const Cluster& b) { return a.members.size() > b.members.size(); });
  order.locations.clear();
  for (const Cluster& cluster : clusters) {
    const std::size_t first = order.locations.size();
    const std::string like = trace::location_name(definitions_.locations[cluster.members.front()]);
    order.groups.push_back({"like " + like, first, cluster.members.size()});
    order.locations.insert(order.locations.end(), cluster.members.begin(), cluster.members.end());
  }
}

Result<RowOrder::Order> RowOrder::order(const Query& query) const {
  Order order;
  const std::string ranks = query.text("ranks"), sort = query.text("sort");
  order.locations.resize(definitions_.locations.size());
  std::iota(order.locations.begin(), order.locations.end(), 0U);
  if (!ranks.empty()) {
    MORA_TRY(const auto chosen, RankList::parse(ranks, "ranks"));
    std::erase_if(order.locations, [&](std::uint32_t l) { return !chosen.holds(definitions_.locations[l].rank); });
    if (order.locations.empty()) return fail(ErrorKind::usage, "the trace has none of these ranks", ranks);
  }
  if (sort == "node") {
    order_by_node(order);
  } else if (sort == "waiting") {
    if (waiting_.size() != definitions_.locations.size())
      return fail(ErrorKind::usage, "the waiting of the ranks is not known: the trace and its analysis differ");
    std::stable_sort(order.locations.begin(), order.locations.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return waiting_[a] > waiting_[b]; });
  } else if (sort == "alike") {
    order_alike(order);
  } else if (!sort.empty()) {
    return fail(ErrorKind::usage, fmt::format("ranks cannot be ordered by '{}'", sort), "sort", "",
                "use node, waiting or alike");
  }
  return order;
}

Result<std::string> RowOrder::json(const Query& query) const {
  MORA_TRY(const Order found, order(query));
  JsonWriter json;
  json.begin_object().key("rows").begin_line_array();
  for (const std::uint32_t location : found.locations) json.unsigned_integer(location);
  json.end_array().key("groups").begin_array();
  for (const Group& group : found.groups) json.line("name", group.name, "first", group.first, "count", group.count);
  json.end_array().end_object();
  return json.take();
}

}  // namespace mora::serve
