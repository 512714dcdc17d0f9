#include "report/advice/thresholds.h"

#include <charconv>
#include <cmath>

namespace mora::report::advice {
namespace {

constexpr std::array<ThresholdInfo, threshold_count> infos{{
    {Threshold::efficiency, "efficiency", 0.9, true, "from this efficiency of the program on there is nothing to gain"},
    {Threshold::loss, "loss", 0.02, true, "a loss is walked if it has this share of the processes' total time"},
    {Threshold::descend, "descend", 0.6, true, "the walk goes into an interval that has this share of the loss"},
    {Threshold::dominant, "dominant", 0.5, true, "one quantity explains another from this share of it on"},
    {Threshold::part, "part", 0.2, true, "a cause counts from this share of the loss on"},
    {Threshold::overlap, "overlap", 0.1, true,
     "up to this share of non-blocking communication behind computation it is not hidden"},
    {Threshold::single_rank, "single-rank", 0.6, true, "one rank is the cause from this share of the delays on"},
    {Threshold::pop, "pop", 0.9, true, "a POP efficiency below this is a loss"},
    {Threshold::first_iteration, "first-iteration", 2, false,
     "the first execution is a warm-up if it takes so many times the mean of the others"},
    {Threshold::one_process, "one-process", 0.1, true,
     "a measured one-process time may be off the productive time by this share"},
    {Threshold::messages, "messages", 100, false, "messages are many from this number per process on"},
    {Threshold::message_bytes, "message-bytes", 1024, false, "messages are small up to this mean size"},
    {Threshold::collective_calls, "collective-calls", 100, false,
     "a collective is in a hot loop from so many calls per process on"},
    {Threshold::unneeded_pairs, "unneeded-pairs", 0.5, true,
     "fences are too much if this share of the pairs that they synchronise exchanged nothing"},
}};

std::string all_names() {
  std::string text;
  for (const ThresholdInfo& info : infos) text += (text.empty() ? "" : ", ") + std::string(info.name);
  return text;
}

}  // namespace

const std::array<ThresholdInfo, threshold_count>& threshold_infos() { return infos; }

std::string_view name_of(Threshold threshold) { return infos[static_cast<std::size_t>(threshold)].name; }

Thresholds::Thresholds() {
  for (std::size_t i = 0; i < threshold_count; ++i) values_[i] = infos[i].fallback;
}

Result<void> Thresholds::set(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  const std::string number = equals == std::string::npos ? "" : assignment.substr(equals + 1);
  for (std::size_t i = 0; i < threshold_count; ++i) {
    if (infos[i].name != name) continue;
    double value = 0;
    const char* stop = number.data() + number.size();
    const auto [end, error] = std::from_chars(number.data(), stop, value);
    if (number.empty() || error != std::errc{} || end != stop || !std::isfinite(value)) {
      return fail(ErrorKind::usage, "\"" + number + "\" is not a number", assignment, "",
                  "give NAME=VALUE, for example " + name + "=" + (infos[i].is_share ? "0.25" : "10"));
    }
    if (value <= 0 || (infos[i].is_share && value > 1)) {
      return fail(ErrorKind::usage, "this threshold is out of range", assignment,
                  infos[i].is_share ? "it is a share: above 0, at most 1" : "it must be above 0");
    }
    values_[i] = value;
    return {};
  }
  return fail(ErrorKind::usage, "there is no threshold of this name", name, "", "there are: " + all_names());
}

}  // namespace mora::report::advice
