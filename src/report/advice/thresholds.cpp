/// The table of thresholds: name, default, meaning; and the parser of --threshold.
#include "report/advice/thresholds.h"
#include "base/numbers/read_number.h"

#include <cmath>

namespace mora::report::advice {
namespace {

constexpr std::array<ThresholdInfo, threshold_count> infos{{
    {Threshold::efficiency, "efficiency", 0.9, true,
     "if the efficiency of the program is at least this, there is nothing to gain"},
    {Threshold::loss, "loss", 0.02, true,
     "a part of the lost time is examined if it is at least this share of the total time"},
    {Threshold::descend, "descend", 0.6, true,
     "the search goes on in a nested interval that has at least this share of the loss"},
    {Threshold::dominant, "dominant", 0.5, true, "one quantity explains another if it is at least this share of it"},
    {Threshold::part, "part", 0.2, true, "a cause counts if it is at least this share of the loss"},
    {Threshold::overlap, "overlap", 0.1, true,
     "non-blocking communication is not hidden if computation covers at most this share of it"},
    {Threshold::single_rank, "single-rank", 0.6, true,
     "one rank is the cause if it has at least this share of the delay costs"},
    {Threshold::pop, "pop", 0.9, true, "a POP efficiency below this value is a loss"},
    {Threshold::first_iteration, "first-iteration", 2, false,
     "the first execution is a warm-up if it takes at least this many times the mean of the others"},
    {Threshold::one_process, "one-process", 0.1, true,
     "a measured one-process time may differ from the productive time by less than this share"},
    {Threshold::messages, "messages", 100, false, "a process sends many messages if it sends at least this number"},
    {Threshold::message_bytes, "message-bytes", 1024, false,
     "messages are small if their mean size is at most this many bytes"},
    {Threshold::collective_calls, "collective-calls", 100, false,
     "a collective is in a hot loop if each process calls it at least this many times"},
    {Threshold::unneeded_pairs, "unneeded-pairs", 0.5, true,
     "fences synchronise too many ranks if at least this share of the synchronised pairs exchanged nothing"},
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
    if (!read_number(number, value) || !std::isfinite(value)) {
      return fail(ErrorKind::usage, "'" + number + "' is not a number", assignment, "",
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
