// What says where ranks go: hostfiles, rankfiles, placements, the words of mpirun and srun; and what a message costs.
#include <fmt/format.h>

#include "broken_promise.h"
#include "input_parts.h"
#include "predict/calibration/calibration.h"
#include "predict/learning/correcting.h"
#include "predict/learning/machine_match.h"
#include "predict/machine/model.h"
#include "predict/placement/hostfile.h"
#include "predict/placement/line_words.h"
#include "predict/placement/openmpi/openmpi_placement.h"
#include "predict/placement/openmpi/words/command.h"
#include "predict/placement/physical_rankfile.h"
#include "predict/placement/placement.h"
#include "predict/placement/slurm/hostlist.h"
#include "predict/placement/slurm/slurm_placement.h"
#include "readers.h"

namespace mora::fuzz {
namespace {

using namespace predict;

void require_sound(const Placement& placement) {
  for (const std::uint32_t node : placement.node_of) require(node < placement.nodes.size(), "ranks are on nodes");
  require(placement.core.empty() || placement.core.size() == placement.size(), "a core for each rank, or for none");
  require(placement.slot.empty() || placement.slot.size() == placement.size(), "a slot for each rank, or for none");
}

/// Numbers for which it takes seconds to place as many ranks; larger ones are refused.
bool asks_for_millions(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] >= '0' && text[i] <= '9') {
      if (digits > 0 || text[i] != '0') ++digits;  // leading zeros make no number larger
    } else {
      if (digits >= 5 && digits <= 9) return true;
      digits = 0;
    }
  }
  return false;
}

const std::optional<openmpi::Topology>& topology(std::size_t number) {
  static const std::vector<std::optional<openmpi::Topology>> known = [] {
    std::vector<std::optional<openmpi::Topology>> all(1);
    for (const char* description :
         {"pack:2 core:4 pu:1", "pack:2 numa:2 core:2 pu:2", "core:3 pu:1", "numa:2 pack:1 l3:2 core:2 pu:1"}) {
      auto loaded = openmpi::load_topology(description);
      require(loaded.has_value(), "a description is understood");
      all.emplace_back(std::move(*loaded));
    }
    return all;
  }();
  return known[number % known.size()];
}

}  // namespace

bool read_machine_model(std::span<const std::byte> bytes) {
  const auto model = parse_machine_model(text_of(bytes), "machine.json");
  if (!model) return false;
  for (const Locality locality : {Locality::same_node, Locality::other_node}) {
    if (model->find(locality) == nullptr) continue;
    Nanoseconds before = 0;
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8192}, std::uint64_t{1} << 40, UINT64_MAX}) {
      const Nanoseconds time = messages_time(*model, locality, 1, size);
      require(time >= 0 && time <= INT64_MAX / 4, "a message's time is in its bounds");
      before = messages_time(*model, locality, size, size);
      require(before >= 0, "times are not negative");
    }
  }
  return true;
}

bool read_learned_correction(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  require(machine_digest(text).size() == 16, "every text has a digest");
  static_cast<void>(measured_host(text));
  const auto read = parse_correction(text, "learned.json");
  if (!read) return false;
  Prediction prediction;
  prediction.machine.ranks = prediction.low.ranks = prediction.high.ranks = {0, 1, INT64_MAX / 4};
  std::vector<FeatureRow> rows(3, FeatureRow{});
  for (const CorrectionTerm& term : read->correction.terms) rows[2][term.feature] = term.from;
  for (const CorrectedRank& rank : corrected_times(prediction, rows, read->correction, "learned.json").ranks) {
    require(rank.low >= 0 && rank.low <= rank.corrected && rank.corrected <= rank.high, "times are in their bars");
    require(rank.applies == rank.beyond.empty(), "a rank that is not corrected says why");
  }
  return true;
}

bool read_calibration_samples(std::span<const std::byte> bytes) {
  const auto samples = parse_samples(text_of(bytes), "samples.csv");
  if (!samples) return false;
  const auto calibration = calibrate(*samples, "samples.csv");
  if (!calibration) return false;
  const std::string file = machine_json(*calibration, {"machine", "command", "samples.csv", 1});
  const auto model = parse_machine_model(file, "machine.json");
  require(model || calibration->classes.empty(), "the model that a calibration writes can be read");
  return model.has_value();
}

bool read_placement_files(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  bool any = false;
  if (const auto hosts = parse_hostfile(text, "hosts")) {
    any = true;
    for (const HostEntry& host : *hosts) require(!host.name.empty(), "nodes have names");
  }
  if (const auto ranks = parse_physical_rankfile(text, "ranks")) {
    any = true;
    for (std::size_t i = 1; i < ranks->size(); ++i)
      require((*ranks)[i - 1].rank < (*ranks)[i].rank, "ranks are in order, each once");
  }
  if (const auto placement = parse_placement(text, "placement")) {
    any = true;
    require_sound(*placement);
    const auto again = parse_placement(placement_text(*placement), "again");
    require(again && again->node_of.size() == placement->node_of.size(), "what is printed can be read");
  }
  return any;
}

/// A first byte that chooses the topology, the words of mpirun in the first line, then files: the first line of each
/// part is its name, or "granted" for lines of a node and its slots.
bool read_mpirun_words(std::span<const std::byte> bytes) {
  if (bytes.empty() || asks_for_millions(text_of(bytes))) return false;
  const auto parts = parts_of(bytes.subspan(1));
  openmpi::OpenMpiRequest request;
  request.topology = topology(static_cast<unsigned char>(static_cast<unsigned char>(bytes[0]) - '0'));
  request.words = words_of_line(parts[0].substr(0, parts[0].find('\n')));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t line = std::min(parts[i].find('\n'), parts[i].size());
    const std::string name(parts[i].substr(0, line));
    const std::string_view content = parts[i].substr(std::min(line + 1, parts[i].size()));
    if (name != "granted") {
      request.files[name] = content;
      continue;
    }
    (void)for_each_line(content, [&](std::string_view one, std::uint32_t) -> Result<void> {
      const auto words = words_of(one);
      if (words.size() == 2)
        request.granted.push_back({std::string(words[0].text), whole_number(words[1].text).value_or(1) % 64, 0});
      return {};
    });
  }
  const auto command = openmpi::read_command(request.words);
  if (!command || command->processes.value_or(0) > 1000) return false;
  // no input makes it read a file of this machine
  for (const std::string& name : command->hostfiles) request.files.try_emplace(name);
  if (command->default_hostfile) request.files.try_emplace(*command->default_hostfile);
  if (command->rankfile) request.files.try_emplace(*command->rankfile);
  const auto placed = openmpi::place_openmpi(request);
  if (!placed) {
    require(!placed.error().what.empty(), "errors say what");
    return false;
  }
  std::vector<bool> seen(placed->ranks.size(), false);
  for (const auto& node : placed->nodes) {
    for (const std::uint32_t rank : node.ranks) {
      require(rank < seen.size() && !seen[rank], "every rank is on one node");
      seen[rank] = true;
    }
  }
  require(std::find(seen.begin(), seen.end(), false) == seen.end(), "every rank is on a node");
  require_sound(placed->placement());
  (void)openmpi::job_map_text(*placed);
  (void)openmpi::rankfile_text(*placed);
  return true;
}

/// The first line: list of nodes; the second: --distribution; then a byte for each number.
bool read_srun_words(std::span<const std::byte> bytes) {
  std::string_view text = text_of(bytes);
  const auto line = [&text] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view first = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return first;
  };
  const auto names = slurm::expand_hostlist(line(), "--nodelist");
  const auto distribution = slurm::parse_distribution(line());
  if (distribution) {
    const auto again = slurm::parse_distribution(slurm::text_of(*distribution));
    require(again && again->nodes == distribution->nodes && again->sockets == distribution->sockets,
            "a distribution can be read back");
  }
  if (!names || names->size() > 1000 || !distribution) return false;
  const auto number = [&text] {
    if (text.empty()) return 0U;
    const auto value = static_cast<unsigned char>(text[0]);
    text.remove_prefix(1);
    return static_cast<unsigned>(value < '0' ? value : value - '0');
  };
  slurm::SlurmRequest request;
  const unsigned cpus = number() + 1;
  for (const std::string& name : *names) request.nodes.push_back({name, cpus});
  request.distribution = *distribution;
  if (const unsigned tasks = number()) request.tasks = tasks;
  if (const unsigned count = number()) request.node_count = count;
  if (const unsigned each = number()) request.tasks_per_node = each;
  request.cpus_per_task = number() + 1;
  const unsigned flags = number();
  request.overcommit = flags & 1;
  request.exclusive = flags & 2;
  request.all_nodes = flags & 4;
  if (flags & 8) request.arbitrary = *names;
  if (const unsigned sockets = number()) {
    request.inside = slurm::NodeInside{sockets, number() + 1, number() + 1};
    for (auto& node : request.nodes) node.cpus = request.inside->cpus();
  }
  const auto placed = slurm::place_slurm(request);
  if (!placed) return false;
  require_sound(placed->placement);
  return true;
}

}  // namespace mora::fuzz
