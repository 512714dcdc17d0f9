#include "serve/offline/stretches.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "serve/offline/packing.h"

namespace mora::serve {
namespace {

using trace::Position;

constexpr std::int64_t whole_columns = 2048, rows_kept = 512;
constexpr std::int64_t part_bins_at_most = 3'000'000;  ///< of all parts together
constexpr std::int64_t parts_at_most = 8;
constexpr std::size_t details_at_most = 3000;
constexpr std::uint32_t neighbours = 8, far_apart = 48;  ///< ranks

class Extract {
 public:
  explicit Extract(const Timeline& timeline) : timeline_(timeline) {}

  Result<std::string> make(const std::vector<Surroundings>& around) {
    MORA_TRY(const bool has_all_calls, add(0, timeline_.duration(), 0, timeline_.rows()));
    if (!has_all_calls) {
      const std::int64_t rows = std::clamp<std::int64_t>(timeline_.rows(), 1, rows_kept);
      const std::int64_t parts = std::min(parts_at_most, part_bins_at_most / (whole_columns * rows));
      for (std::int64_t k = 0; k < parts; ++k) {
        const Nanoseconds from = timeline_.duration() * k / parts, until = timeline_.duration() * (k + 1) / parts;
        if (until > from) MORA_CHECK_OK(add(from, until, 0, timeline_.rows()));
      }
      std::vector<Position> of_parts;
      of_parts.swap(calls_);
      for (const Surroundings& wait : around) MORA_CHECK_OK(add(wait));
      calls_.insert(calls_.end(), of_parts.begin(), of_parts.end());
    }
    MORA_CHECK_OK(add_details());
    return "\"stretches\": [" + stretches_ + "], \"call_details\": {" + details_ + "}";
  }

 private:
  /// True if every call of it is shown.
  Result<bool> add(Nanoseconds from, Nanoseconds until, std::uint32_t first, std::uint32_t count) {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const Query query({{"from", number(from)},
                       {"until", number(until)},
                       {"first", number(first)},
                       {"count", number(count)},
                       {"columns", number(whole_columns)},
                       {"rows", number(std::clamp<std::int64_t>(count, 1, rows_kept))},
                       {"limit", "2000"}});
    std::map<std::string, std::string> fewer{{"from", number(from)},   {"until", number(until)},
                                             {"first", number(first)}, {"count", number(count)},
                                             {"limit", "40"},          {"points", "64"}};
    MORA_TRY(const std::string collectives, timeline_.collectives_json(Query(fewer)));
    std::string one_sided;
    if (timeline_.has_windows()) {
      fewer["limit"] = "700";
      MORA_TRY(const std::string epochs, timeline_.epochs_json(Query(fewer)));
      one_sided = ", \"epochs\": " + epochs + ", \"transfers\": {";
      for (const char* way : {"closed", "logical", "dependencies"}) {
        fewer["transfers"] = way;
        MORA_TRY(const std::string lines, timeline_.messages_json(Query(fewer)));
        one_sided += (one_sided.back() == '{' ? "\"" : ", \"") + std::string(way) + "\": " + lines;
      }
      one_sided += "}";
    }
    MORA_TRY(const std::string picture, timeline_.picture(query));
    MORA_TRY(const std::string messages, timeline_.messages_json(query));
    MORA_TRY(const auto calls, timeline_.shown_calls(query));
    if (calls) calls_.insert(calls_.end(), calls->begin(), calls->end());
    stretches_ += (stretches_.empty() ? "" : ",\n") + ("{\"from\": " + number(from)) + ", \"until\": " + number(until) +
                  ", \"first\": " + number(first) + ", \"count\": " + number(count) +
                  ", \"kind\": " + (calls ? "\"calls\"" : "\"bins\"") + ", \"picture\": \"" + base64(picture) +
                  "\", \"messages\": " + messages + ", \"collectives\": " + collectives + one_sided + "}";
    return calls.has_value();
  }

  /// All ranks if their calls are few enough, else the ranks around the waiting one and around its cause.
  Result<bool> add(const Surroundings& wait) {
    const Nanoseconds room = std::max<Nanoseconds>(100, (wait.end - wait.begin) / 2);
    const Nanoseconds from = wait.begin - room, until = wait.end + room;
    if (timeline_.rows() <= rows_kept) {
      const std::string rows = std::to_string(timeline_.rows());
      MORA_TRY(const auto all,
               timeline_.shown_calls(
                   Query({{"from", std::to_string(from)}, {"until", std::to_string(until)}, {"rows", rows}})));
      if (all) return add(from, until, 0, timeline_.rows());
    }
    const auto [low, high] = std::minmax(timeline_.row_of(wait.rank), timeline_.row_of(wait.cause));
    if (high - low <= far_apart) return add_rows(from, until, low, high);
    MORA_CHECK_OK(add_rows(from, until, low, low));
    return add_rows(from, until, high, high);
  }
  Result<bool> add_rows(Nanoseconds from, Nanoseconds until, std::uint32_t low, std::uint32_t high) {
    const std::uint32_t first = low - std::min(low, neighbours);
    return add(from, until, first, std::min(timeline_.rows(), high + neighbours + 1) - first);
  }

  Result<void> add_details() {
    std::set<Position> done;
    for (const Position call : calls_) {
      if (done.size() >= details_at_most) break;
      if (!done.insert(call).second) continue;
      MORA_TRY(const std::string details, timeline_.call_json(Query({{"at", std::to_string(call)}})));
      details_ += (details_.empty() ? "\"" : ",\n\"") + std::to_string(call) + "\": " + details;
    }
    return {};
  }

  const Timeline& timeline_;
  std::string stretches_, details_;
  std::vector<Position> calls_;  ///< shown so far
};

}  // namespace

Result<std::string> stretches_json(const Timeline& timeline, const std::vector<Surroundings>& around) {
  if (timeline.duration() <= 0 || timeline.rows() == 0) return std::string();
  return Extract(timeline).make(around);
}

}  // namespace mora::serve
