/// Which locations are rows of the timeline, and in which order: chosen by rank; by node, by waiting, or those that
/// behave alike together.
///
/// Behaviour is the time in each Category. Alike (Mora's rule alike-rows): the first location that is like none before
/// it leads a cluster; a location is like a leader if at most a tenth of the time of the longer one is spent in other
/// categories. At most `clusters_at_most` are made; then a location goes to the nearest. Large clusters first. Cost:
/// O(locations x clusters) once per question. Pure, thread-safe after add().
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "serve/kept_bytes.h"
#include "serve/site.h"
#include "serve/timeline/category.h"
#include "trace/definitions.h"

namespace mora::serve {

class RowOrder {
 public:
  explicit RowOrder(const trace::Definitions& definitions)
      : definitions_(definitions), time_(definitions.locations.size()) {}
  /// Time of a location in a category.
  void add(std::uint32_t location, Category category, Nanoseconds time) {
    time_[location][static_cast<std::size_t>(category)] += time;
  }
  void keep(KeptBytes& bytes) { bytes(time_); }
  /// ns that each location waited, by the analysis; without it nothing can be ordered by waiting.
  void set_waiting(std::vector<std::int64_t> waiting) { waiting_ = std::move(waiting); }

  struct Group {
    std::string name;
    std::size_t first = 0, count = 0;  ///< rows
  };
  struct Order {
    std::vector<std::uint32_t> locations;  ///< by row
    std::vector<Group> groups;             ///< of nodes, or of alike ones; else none
  };
  /// Query: `ranks` ("0-7,12"; nothing: all), `sort` ("node", "waiting", "alike"; nothing: by rank). Errors (usage): no
  /// such list or order; no rank is left.
  Result<Order> order(const Query& query) const;
  /// The same: {"rows": [location …], "groups": [{"name", "first", "count"} …]}.
  Result<std::string> json(const Query& query) const;

 private:
  static constexpr std::size_t clusters_at_most = 64;
  using Times = std::array<Nanoseconds, categories>;
  void order_by_node(Order& order) const;
  void order_alike(Order& order) const;

  const trace::Definitions& definitions_;
  std::vector<Times> time_;
  std::vector<std::int64_t> waiting_;
};

}  // namespace mora::serve
