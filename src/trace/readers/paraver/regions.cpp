#include "trace/readers/paraver/regions.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "mpi/function.h"
#include "trace/readers/paraver/extrae.h"

namespace mora::trace::paraver {
namespace {

/// Extrae shortens long names and writes the long form in brackets behind.
std::string_view long_form(std::string_view label) {
  const std::size_t open = label.find(" [");
  if (open == std::string_view::npos || !label.ends_with(']')) return label;
  if (label.substr(0, open).find("...") == std::string_view::npos) return label;
  return label.substr(open + 2, label.size() - open - 3);
}

constexpr std::uint64_t state_key = UINT64_MAX;  // no event type
constexpr std::string_view idle_words[] = {"idle",    "not running", "not created", "synchron",
                                           "blocked", "scheduling",  "fork/join"};

/// What a state in which a process communicates stands for; none: any call of MPI.
struct Communication {
  std::string_view state, function;
};
constexpr Communication communication[] = {
    {"waiting a message", "MPI_Recv"}, {"blocking send", "MPI_Send"},     {"test/probe", "MPI_Test"},
    {"wait/waitall", "MPI_Waitall"},   {"immediate send", "MPI_Isend"},   {"immediate receive", "MPI_Irecv"},
    {"group communication", ""},       {"send receive", "MPI_Sendrecv"},  {"remote memory access", ""},
    {"atomic memory operation", ""},   {"memory ordering operation", ""}, {"distributed locking", ""},
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_idle_name(const std::string& lower) {
  return std::any_of(std::begin(idle_words), std::end(idle_words),
                     [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

/// What is known of a state's time by its name: no computation, but MPI, or nothing for the program (in whose runtime
/// is not said: OpenMP's, POSIX threads', a device's).
void set_meaning(Region& region) {
  const std::string lower = lower_case(region.name);
  if (is_idle_name(lower)) region.paradigm = Paradigm::without_work;
  for (const Communication& each : communication) {
    if (lower != each.state) continue;
    region.kind = RegionKind::mpi;
    region.function = mpi::find(each.function);
  }
}

}  // namespace

RegionId Regions::make(std::uint64_t type, std::uint64_t value, const CallSite& site, const char* known,
                       const char* group) {
  const Key key{type, value, site.value};
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  const std::string* label = labels_.value(type, value);
  std::string name;
  if (label != nullptr) {
    name = long_form(*label);
  } else if (known != nullptr) {
    name = known;
  } else if (unlabelled_ < most_unlabelled) {
    name = "event " + std::to_string(type) + " value " + std::to_string(value);
  } else {
    return builder_.region("event " + std::to_string(type) + " other values", group);
  }
  std::uint32_t line = 0;
  std::string file;
  const std::string* where = site.type == 0 ? nullptr : labels_.value(site.type, site.value);
  if (where == nullptr || !parse_source_line(*where, line, file)) {
    line = 0;
    file.clear();
    if (site.value != 0) {  // every unlabelled call site is the same region: do not keep them apart
      const RegionId same = make(type, value, {}, known, group);
      if (where != nullptr) known_.emplace(key, same);
      return same;
    }
  }
  if (label == nullptr && known == nullptr) ++unlabelled_;
  const RegionId region = builder_.region(name, group, file, line);
  known_.emplace(key, region);
  return region;
}

RegionId Regions::mpi(std::uint64_t type, std::uint64_t value, const CallSite& site) {
  return make(type, value, site, extrae::mpi_function_name(value), "MPI");
}

RegionId Regions::function(std::uint64_t type, std::uint64_t value, const CallSite& site) {
  const bool is_cuda = type == extrae::cuda_call;
  const bool is_pthread = type == extrae::pthread_call;
  const RegionId region = make(type, value, site, nullptr, is_cuda ? "CUDA" : is_pthread ? "PTHREAD" : "USER");
  if (is_cuda) builder_.definitions().regions[region].paradigm = Paradigm::device;
  if (is_pthread) builder_.definitions().regions[region].paradigm = Paradigm::pthread;
  return region;
}

RegionId Regions::state(std::uint64_t state) {
  const Key key{state_key, state, 0};
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  const std::string* label = labels_.state(state);
  std::string name;
  if (label != nullptr) {
    name = *label;
  } else if (const char* usual = extrae::state_name(state); usual != nullptr) {
    name = usual;
  } else if (unlabelled_ < most_unlabelled) {
    name = "state " + std::to_string(state);
    ++unlabelled_;
  } else {
    return builder_.region("other states", "STATE");
  }
  const RegionId region = builder_.region(name, "STATE");
  set_meaning(builder_.definitions().regions[region]);
  known_.emplace(key, region);
  return region;
}

bool Regions::is_idle(std::uint64_t state) {
  if (const auto at = idle_.find(state); at != idle_.end()) return at->second;
  const std::string* label = labels_.state(state);
  const char* usual = extrae::state_name(state);
  const bool idle = is_idle_name(lower_case(label != nullptr ? *label : usual != nullptr ? usual : ""));
  if (idle_.size() < most_unlabelled) idle_.emplace(state, idle);
  return idle;
}

}  // namespace mora::trace::paraver
