#include "mpi/groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/did_you_mean.h"

namespace mora::mpi {
namespace {

constexpr std::array<std::string_view, 8> groups = {"point-to-point", "requests",      "polls", "collectives",
                                                    "one-sided",      "communicators", "files", "others"};
constexpr std::size_t polls = 2;  // the group without functions of its own

}  // namespace

std::vector<std::string> group_names() { return {groups.begin(), groups.end()}; }

std::string_view group_of(const Function& f) {
  if (f.is_query || f.is_bound || f.call == CallClass::none || f.id == FunctionId::abort ||
      f.id == FunctionId::pcontrol)
    return {};
  if (completes_requests(f.call) || f.call == CallClass::cancel || f.call == CallClass::request_free ||
      f.id == FunctionId::request_get_status)
    return "requests";
  if (f.call == CallClass::group) return "communicators";
  switch (f.subject) {
    case Subject::point_to_point:
      return "point-to-point";
    case Subject::collective:
      return "collectives";
    case Subject::communicator:
      return "communicators";
    case Subject::one_sided:
      return "one-sided";
    case Subject::file:
      return "files";
    case Subject::other:
      break;
  }
  return "others";
}

Result<LeftOut> read_groups(std::string_view text) {
  std::array<bool, groups.size()> is_in{};
  if (text.starts_with('-')) is_in.fill(true);
  is_in[polls] = true;  // only -polls leaves them out
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    const bool adds = !word.starts_with('-');
    if (!adds) word.remove_prefix(1);
    if (word == "all") {
      is_in.fill(adds);
      continue;
    }
    const auto found = std::find(groups.begin(), groups.end(), word);
    if (found == groups.end()) {
      auto known = group_names();
      known.emplace_back("all");
      const auto guess = did_you_mean(std::string(word), known);
      return fail(ErrorKind::usage, fmt::format("there is no group of MPI functions '{}'", word),
                  fmt::format("--mpi-functions {}", text), "",
                  (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) +
                      fmt::format("the groups are {}", fmt::join(known, ", ")));
    }
    is_in[static_cast<std::size_t>(found - groups.begin())] = adds;
  }
  LeftOut out;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!is_in[i]) out.groups.push_back(groups[i]);
  out.polls = !is_in[polls];
  for (unsigned id = 1; id <= function_count; ++id)
    if (std::find(out.groups.begin(), out.groups.end(), group_of(function(id))) != out.groups.end())
      out.functions.push_back(id);
  return out;
}

std::string to_ranges(const std::vector<unsigned>& functions) {
  std::string out;
  for (std::size_t i = 0; i < functions.size();) {
    std::size_t last = i;
    while (last + 1 < functions.size() && functions[last + 1] == functions[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", functions[i]);
    if (last != i) out += fmt::format("-{}", functions[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace mora::mpi
