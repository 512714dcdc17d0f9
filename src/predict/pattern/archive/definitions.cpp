/// Definitions of a pattern trace as JSON: a person can read them (`zstd -d` of the first section). Members are written
/// as runs.
#include <nlohmann/json.hpp>

#include "base/json/json_number.h"
#include "predict/pattern/archive/bytes.h"

namespace mora::predict::archive {
namespace {

using nlohmann::json;

/// [first, count, step] …
json runs_of(const std::vector<std::uint32_t>& values) {
  json runs = json::array();
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    const std::int64_t step = end < values.size() ? std::int64_t{values[end]} - values[i] : 1;
    while (end < values.size() && std::int64_t{values[end]} - values[end - 1] == step) ++end;
    if (end - i == 2) end = i + 1;  // a pair is no run
    runs.push_back({values[i], end - i, end - i == 1 ? 1 : step});
    i = end;
  }
  return runs;
}

constexpr std::uint32_t largest_world = 1u << 24;
/// Of all communicators together (1 GiB): a run of a few bytes may stand for the whole world.
constexpr std::size_t most_members = std::size_t{1} << 28;

std::vector<std::uint32_t> values_of(const json& runs, std::size_t limit) {
  std::vector<std::uint32_t> values;
  for (const auto& run : runs) {
    std::int64_t value = whole_number<std::int64_t>(run.at(0));
    const auto count = whole_number<std::uint64_t>(run.at(1));
    const auto step = whole_number<std::int64_t>(run.at(2));
    if (count > limit - values.size()) throw std::out_of_range("more members than processes");
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0 && __builtin_add_overflow(value, step, &value)) value = -1;
      if (value < 0 || value >= static_cast<std::int64_t>(limit))
        throw std::out_of_range("a member outside of the world");
      values.push_back(static_cast<std::uint32_t>(value));
    }
  }
  return values;
}

constexpr const char* origins[] = {"record", "dryrun", "text", "otf2"};
constexpr const char* severities[] = {"info", "warning", "loss"};

template <class T, std::size_t N>
T named(const char* const (&names)[N], const std::string& name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<T>(i);
  throw std::out_of_range("unknown word '" + name + "'");
}

json id_or_null(std::uint32_t id) { return id == no_id ? json(nullptr) : json(id); }
std::uint32_t id_of(const json& value) { return value.is_null() ? no_id : whole_number<std::uint32_t>(value); }

}  // namespace

std::string definitions_json(const PatternTrace& trace) {
  const Definitions& d = trace.definitions;
  json out = {{"world_size", d.world_size},
              {"origin", origins[static_cast<int>(d.origin)]},
              {"program", d.program},
              {"command", d.command},
              {"mpi", d.mpi},
              {"phases", d.phases},
              {"hosts", d.hosts},
              {"exact_vectors", d.exact_vectors}};
  auto& types = out["datatypes"] = json::array();
  for (const auto& t : d.datatypes)
    types.push_back({{"name", t.name},
                     {"size", t.size},
                     {"extent", t.extent},
                     {"contiguous", t.contiguous},
                     {"predefined", t.predefined},
                     {"code", t.code}});
  auto& communicators = out["communicators"] = json::array();
  for (const auto& c : d.communicators)
    communicators.push_back({{"name", c.name},
                             {"made_by", info(c.made_by).mpi_name},
                             {"parent", id_or_null(c.parent)},
                             {"event", id_or_null(c.event)},
                             {"color", c.color},
                             {"key", c.key},
                             {"members", runs_of(c.members)},
                             {"remote", runs_of(c.remote)}});
  auto& windows = out["windows"] = json::array();
  for (const auto& w : d.windows) windows.push_back({{"communicator", w.communicator}, {"name", w.name}});
  auto& quality = out["quality"] = json::array();
  for (const auto& row : trace.quality.rows())
    quality.push_back({{"kind", row.kind},
                       {"severity", severities[static_cast<int>(row.severity)]},
                       {"where", row.where},
                       {"count", row.count},
                       {"what", row.what},
                       {"remedy", row.remedy}});
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<void> read_definitions_json(std::string_view text, PatternTrace& trace) {
  try {
    const json in = json::parse(text);
    Definitions& d = trace.definitions;
    d.world_size = whole_number<std::uint32_t>(in.at("world_size"));
    if (d.world_size > largest_world) throw std::out_of_range("more processes than there can be");
    std::size_t members = 0;
    d.origin = named<Origin>(origins, in.at("origin").get<std::string>());
    in.at("program").get_to(d.program);
    in.at("command").get_to(d.command);
    in.at("mpi").get_to(d.mpi);
    in.at("phases").get_to(d.phases);
    in.at("hosts").get_to(d.hosts);
    in.at("exact_vectors").get_to(d.exact_vectors);
    for (const auto& t : in.at("datatypes"))
      d.datatypes.push_back({t.at("name").get<std::string>(), whole_number<std::uint64_t>(t.at("size")),
                             whole_number<std::int64_t>(t.at("extent")), t.at("contiguous").get<bool>(),
                             t.at("predefined").get<bool>(), whole_number<std::uint8_t>(t.at("code"))});
    for (const auto& c : in.at("communicators")) {
      Communicator communicator;
      c.at("name").get_to(communicator.name);
      const auto made_by = mpi::operation_of_mpi_name(c.at("made_by").get<std::string>());
      if (!made_by) throw std::out_of_range("a communicator made by an unknown call");
      communicator.made_by = *made_by;
      communicator.parent = id_of(c.at("parent"));
      communicator.event = id_of(c.at("event"));
      communicator.color = whole_number<decltype(communicator.color)>(c.at("color"));
      communicator.key = whole_number<decltype(communicator.key)>(c.at("key"));
      communicator.members = values_of(c.at("members"), d.world_size);
      communicator.remote = values_of(c.at("remote"), d.world_size);
      members += communicator.members.size() + communicator.remote.size();
      if (members > most_members) throw std::out_of_range("the communicators have too many members");
      d.communicators.push_back(std::move(communicator));
    }
    for (const auto& w : in.at("windows")) {
      d.windows.push_back({whole_number<std::uint32_t>(w.at("communicator")), w.at("name").get<std::string>()});
      if (d.windows.back().communicator >= d.communicators.size())
        throw std::out_of_range("a window of an unknown communicator");
    }
    for (const auto& row : in.at("quality"))
      trace.quality.add(row.at("kind").get<std::string>(),
                        named<Severity>(severities, row.at("severity").get<std::string>()),
                        row.at("where").get<std::string>(), whole_number<std::uint64_t>(row.at("count")),
                        row.at("what").get<std::string>(), row.at("remedy").get<std::string>());
  } catch (const std::exception& error) {
    return fail(ErrorKind::unreadable, "the definitions of the pattern trace cannot be used", "", error.what(),
                "record it again");
  }
  return {};
}

}  // namespace mora::predict::archive
