/// The definition lines of the trace text (docs/formats/trace-text.md, Definitions): each makes or completes a
/// definition in the builder; a name that is used before it is defined is an error where the grammar wants it so.
#include <algorithm>

#include "base/numbers/read_number.h"
#include "trace/readers/text/parser.h"

namespace mora::trace::text {

Result<bool> Parser::definition(const Statement& statement) {
  const std::string_view first = statement.words[0].text;
  Result<void> done;
  if (first == "unit")
    done = define_unit(statement);
  else if (first == "comm")
    done = define_communicator(statement);
  else if (first == "grid")
    done = define_grid(statement);
  else if (first == "group")
    done = define_group(statement);
  else if (first == "window")
    done = define_window(statement);
  else if (first == "node")
    done = define_node(statement);
  else if (first == "metric")
    done = define_metric(statement);
  else if (first == "region")
    done = define_region(statement);
  else if (first == "location")
    done = define_location(statement);
  else if (first == "program") {
    if (statement.words.size() != 2)
      done = wrong(statement.end, "expected 'program NAME'");
    else
      builder_.set_program(statement.words[1].text);
  } else if (first == "ranks") {
    std::uint64_t n = 0;
    if (statement.words.size() != 2 || !read_number(statement.words[1].text, n) || n == 0 || n > 1000000)
      done = wrong(statement.end, "expected 'ranks N', N from 1 to 1000000");
    else
      builder_.set_ranks(static_cast<std::uint32_t>(n));
  } else {
    return false;
  }
  if (!done) return tl::unexpected(done.error());
  return true;
}

Result<void> Parser::define_unit(const Statement& statement) {
  if (statement.words.size() == 2) {
    const std::string_view unit = statement.words[1].text;
    const Nanoseconds ns = unit == "ns" || unit == "1" ? 1
                           : unit == "us"              ? 1000
                           : unit == "ms"              ? 1000000
                           : unit == "s"               ? 1000000000
                                                       : 0;
    if (ns != 0) {
      unit_ = ns;
      return {};
    }
  }
  return wrong(statement.words.back(), "expected 'unit' ns, us, ms, s or 1");
}

Result<std::vector<std::uint32_t>> Parser::rank_list(const Word& word) {
  const auto numbers = parse_list(word.text);
  if (numbers.empty())
    return tl::unexpected(
        wrong(word, "expected ranks separated by ',', found '" + std::string(word.text) + "'").error());
  std::vector<std::uint32_t> ranks;
  for (const std::uint64_t rank : numbers) {
    if (rank >= 1000000 || !builder_.note_rank(rank))
      return tl::unexpected(wrong(word, "rank " + std::to_string(rank) + " lies outside the world").error());
    for (const std::uint32_t other : ranks) {
      if (other == rank) return tl::unexpected(wrong(word, "rank " + std::to_string(rank) + " stands twice").error());
    }
    ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return ranks;
}

Result<void> Parser::define_communicator(const Statement& statement) {
  const auto& words = statement.words;
  const bool inter = words.size() == 6 && words[4].text == "|";
  if ((words.size() != 4 && !inter) || words[2].text != "=")
    return wrong(statement.end, "expected 'comm NAME = R,R…' or 'comm NAME = R,R… | R,R…'");
  Communicator communicator;
  if (words[3].text == "self") {
    communicator.self = true;
    if (words.size() > 4) return wrong(words[4], "nothing more; 'self' is MPI_COMM_SELF");
  } else {
    MORA_TRY(communicator.members, rank_list(words[3]));
  }
  if (inter) {
    MORA_TRY(communicator.remote_members, rank_list(words[5]));
  }
  if (!builder_.add_communicator(words[1].text, std::move(communicator)))
    return wrong(words[1], "communicator '" + std::string(words[1].text) + "' exists already");
  return {};
}

Result<void> Parser::define_grid(const Statement& statement) {
  const auto& words = statement.words;
  if (words.size() != 6 || words[2].text != "on" || words[4].text != "=")
    return wrong(statement.end, "expected 'grid NAME on COMM = 4x2p…' (p: periodic)");
  const auto comm = builder_.communicator(words[3].text);
  if (!comm) return wrong(words[3], "unknown communicator '" + std::string(words[3].text) + "'");
  CartesianGrid grid;
  grid.name = words[1].text;
  std::uint64_t places = 1;
  for (std::string_view rest = words[5].text; !rest.empty();) {
    const auto cut = std::min(rest.find('x'), rest.size());
    std::string_view extent = rest.substr(0, cut);
    CartesianGrid::Dimension dimension;
    dimension.is_periodic = extent.ends_with('p');
    if (dimension.is_periodic) extent.remove_suffix(1);
    if (!read_number(extent, dimension.extent) || dimension.extent == 0 || (places *= dimension.extent) > 1000000)
      return wrong(words[5], "expected extents like 4x2p, of at most 1000000 places");
    grid.dimensions.push_back(dimension);
    rest = cut == rest.size() ? "" : rest.substr(cut + 1);
  }
  builder_.add_grid(*comm, std::move(grid));
  return {};
}

Result<void> Parser::define_group(const Statement& statement) {
  const auto& words = statement.words;
  if (words.size() != 4 || words[2].text != "=") return wrong(statement.end, "expected 'group NAME = R,R…'");
  MORA_TRY(const auto members, rank_list(words[3]));
  if (!builder_.add_group(words[1].text, members))
    return wrong(words[1], "group '" + std::string(words[1].text) + "' exists already");
  return {};
}

Result<void> Parser::define_window(const Statement& statement) {
  const auto& words = statement.words;
  const bool has_bases = words.size() == 6 && words[4].text == "at";
  if ((words.size() != 4 && !has_bases) || words[2].text != "on")
    return wrong(statement.end, "expected 'window NAME on COMM' or 'window NAME on COMM at RANK:ADDRESS,...'");
  const auto comm = builder_.communicator(words[3].text);
  if (!comm) return wrong(words[3], "unknown communicator '" + std::string(words[3].text) + "'");
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bases;
  if (has_bases) {
    for (const auto& [rank, address] : parse_neighbors(words[5].text)) {
      bases.emplace_back(static_cast<std::uint32_t>(rank), address);
    }
    if (bases.empty()) return wrong(words[5], "expected RANK:ADDRESS separated by ','");
    std::sort(bases.begin(), bases.end());
  }
  if (!builder_.add_window(words[1].text, *comm, std::move(bases)))
    return wrong(words[1], "window '" + std::string(words[1].text) + "' exists already");
  return {};
}

Result<void> Parser::define_metric(const Statement& statement) {
  const auto& words = statement.words;
  const bool is_count = words.size() > 2 && words.back().text == "counts";
  const std::size_t rest = words.size() - (is_count ? 1 : 0);
  const bool has_unit = rest == 4 && words[2].text == "unit";
  if (rest != 2 && !has_unit)
    return wrong(statement.end, "expected 'metric NAME' or 'metric NAME unit UNIT', then perhaps 'counts'");
  if (!builder_.add_metric(words[1].text, has_unit ? words[3].text : std::string_view{}, is_count))
    return wrong(words[1], "metric '" + std::string(words[1].text) + "' exists already");
  return {};
}

Result<void> Parser::define_region(const Statement& statement) {
  const auto& words = statement.words;
  if (words.size() < 3)
    return wrong(statement.end, "expected 'region NAME group GROUP' or 'region NAME interval at FILE:LINE …'");
  Region interval;
  bool more = false;  // only intervals have what follows
  const std::uint32_t distributed = interval.replication;
  for (std::size_t at = 2; at < words.size(); ++at) {
    const Word& word = words[at];
    const bool has_value = word.text == "group" || word.text == "at" || word.text == "replicated";
    if (has_value && at + 1 == words.size())
      return wrong(statement.end, "expected a value after '" + std::string(word.text) + "'");
    if (word.text == "group") {
      builder_.set_region_group(words[1].text, words[++at].text);
    } else if (word.text == "interval") {
      interval.role = RegionRole::interval;
    } else if (word.text == "at") {
      const std::string_view site = words[++at].text;
      const auto colon = site.rfind(':');
      std::uint64_t line = 0;
      if (colon == 0 || colon == std::string_view::npos || !read_number(site.substr(colon + 1), line) ||
          line > UINT32_MAX)
        return wrong(words[at], "expected FILE:LINE after 'at', found '" + std::string(site) + "'");
      interval.call_site_file = site.substr(0, colon);
      interval.call_site_line = static_cast<std::uint32_t>(line);
      more = true;
    } else if (word.text == "sequential" || word.text == "replicated") {
      if (interval.replication != distributed) return wrong(word, "it is said already how many processes do the same");
      std::uint64_t processes = no_id;
      if (word.text == "replicated" &&
          (!read_number(words[++at].text, processes) || processes < 1 || processes >= no_id))
        return wrong(words[at],
                     "expected a number of processes after 'replicated', found '" + std::string(words[at].text) + "'");
      interval.replication = static_cast<std::uint32_t>(processes);
      more = true;
    } else {
      return wrong(word, "expected 'group', 'interval', 'at', 'sequential' or 'replicated', found '" +
                             std::string(word.text) + "'");
    }
  }
  if (interval.role != RegionRole::interval)
    return more ? wrong(words[2], "only intervals have a place and processes: 'region NAME interval …'")
                : Result<void>{};
  if (mpi::find(words[1].text) != FunctionId::none || words[1].text.find('@') != std::string_view::npos)
    return wrong(words[1], "an interval has a name of its own, not a call's");
  if (!builder_.add_interval(words[1].text, interval))
    return wrong(words[1], "region '" + std::string(words[1].text) + "' was used before; its definition goes first");
  return {};
}

Result<void> Parser::define_location(const Statement& statement) {
  const auto& words = statement.words;
  std::uint64_t rank = 0;
  std::uint64_t thread = 0;
  if ((words.size() != 3 && words.size() != 4) || !parse_location(words[1].text, rank, thread))
    return wrong(statement.end, "expected 'location P0.1 thread', 'device' or 'metric', then perhaps a name");
  const std::string_view kind = words[2].text;
  if (kind != "thread" && kind != "device" && kind != "metric")
    return wrong(words[2], "expected 'thread', 'device' or 'metric', found '" + std::string(kind) + "'");
  if (rank >= 1000000 || !builder_.note_rank(rank))
    return wrong(words[1], "rank " + std::to_string(rank) + " lies outside the world");
  builder_.set_kind({static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(thread)},
                    kind == "device"   ? LocationKind::device
                    : kind == "metric" ? LocationKind::metric
                                       : LocationKind::cpu,
                    words.size() == 4 ? words[3].text : std::string_view{});
  return {};
}

Result<void> Parser::define_node(const Statement& statement) {
  const auto& words = statement.words;
  if (words.size() != 3) return wrong(statement.end, "expected 'node NAME R,R…'");
  MORA_TRY(const auto ranks, rank_list(words[2]));
  builder_.set_node(words[1].text, ranks);
  return {};
}

}  // namespace mora::trace::text
