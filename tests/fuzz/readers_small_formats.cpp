// ALOG, VAMPIR, CSV, SimGrid's actions and GOAL: one file each, read whole.
#include <string_view>

#include "promised_stream.h"
#include "readers.h"
#include "trace/readers/alog/alog_source.h"
#include "trace/readers/goal/goal_source.h"
#include "trace/readers/simgrid/simgrid_source.h"
#include "trace/readers/template/csv_source.h"
#include "trace/readers/vampir/vampir_source.h"

namespace mora::fuzz {
namespace {

bool read_whole(Result<std::unique_ptr<trace::Source>> source) {
  if (!source) return false;
  const trace::Definitions& d = (*source)->definitions();
  for (const trace::Communicator& c : d.communicators) {
    for (const std::uint32_t member : c.members) require(member < d.world_size, "members are ranks of the trace");
  }
  PromisedStream::read_all(**source);
  return true;
}

}  // namespace

bool read_alog(std::span<const std::byte> bytes) { return read_whole(trace::read_alog(text(bytes))); }

bool read_vampir(std::span<const std::byte> bytes) {
  const bool read = read_whole(trace::read_vampir(text(bytes)));
  require(!read || trace::is_vampir(text(bytes)), "what is read has its magic");
  return read;
}

bool read_simgrid(std::span<const std::byte> bytes) {
  return read_whole(trace::read_simgrid(text(bytes), "actions.txt"));
}

bool read_goal(std::span<const std::byte> bytes) {
  const bool read = read_whole(trace::read_goal(text(bytes), "schedule.goal"));
  require(!read || trace::is_goal(text(bytes)), "what is read is known for a schedule");
  return read;
}

bool read_csv(std::span<const std::byte> bytes) {
  const bool read = read_whole(trace::read_csv_trace(text(bytes)));
  require(!read || trace::is_csv_trace(text(bytes)), "what is read has its header");
  return read;
}

}  // namespace mora::fuzz
