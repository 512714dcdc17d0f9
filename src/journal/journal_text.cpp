/// One line of text per record shape; the names are those of enum mora_shape. Words that only some records of a shape
/// have are left out where they are missing; a shape without words of its own shows its object, one of later versions
/// its number. The reader has checked that a record is as long as its shape says. O(words).
#include "journal/journal_text.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace mora::journal {

namespace {

const char* const shape_names[] = {"?",          "CALL",       "SEND",           "RECV",           "ISEND",
                                   "IRECV",      "SENDRECV",   "COMPLETE",       "START",          "COLLECTIVE",
                                   "VECTOR",     "RMA",        "WIN_COLLECTIVE", "WIN_GROUP",      "WIN_LOCK",
                                   "WIN_FLUSH",  "IO",         "POLLS",          "SHMEM_TRANSFER", "SHMEM_COLLECTIVE",
                                   "SHMEM_LOCK", "THREAD_LOCK"};
const char* const other_names[] = {
    "DEFINE_COMM", "FREE_COMM", "DEFINE_GROUP", "DEFINE_WIN", "CLOCK",       "CLOCK_OFFSET", "OVERHEAD",   "LOST",
    "RECORDING",   "NAME",      "END",          "NOTE",       "DEFINE_FILE", "DEFINE_MARK",  "MARK_BEGIN", "MARK_END",
    "DEFINE_TYPE", "DATA",      "REPEAT",       "STATE",      "ERROR",       "CORE"};

std::string name_of_shape(unsigned shape) {
  if (shape == MORA_SHAPE_DEFINE_STACK) return "DEFINE_STACK";
  if (shape == MORA_SHAPE_DEFINE_PATH) return "DEFINE_PATH";
  if (shape == MORA_SHAPE_DEFINE_PLACE) return "DEFINE_PLACE";
  if (shape == MORA_SHAPE_SAMPLE) return "SAMPLE";
  if (shape == MORA_SHAPE_TEAM) return "TEAM";
  if (shape == MORA_SHAPE_SYNC) return "SYNC";
  if (shape == MORA_SHAPE_PROFILE) return "PROFILE";
  if (shape == MORA_SHAPE_FOLDED) return "FOLDED";
  if (shape == MORA_SHAPE_DEFINE_FUNCTION) return "DEFINE_FUNCTION";
  if (shape == MORA_SHAPE_DEFINE_COUNTER) return "DEFINE_COUNTER";
  if (shape == MORA_SHAPE_COUNTERS) return "COUNTERS";
  if (shape == MORA_SHAPE_DEFINE_GRID) return "DEFINE_GRID";
  if (shape < std::size(shape_names)) return shape_names[shape];
  if (shape >= MORA_SHAPE_DEFINE_COMM && shape - MORA_SHAPE_DEFINE_COMM < std::size(other_names))
    return other_names[shape - MORA_SHAPE_DEFINE_COMM];
  return fmt::format("shape#{}", shape);
}

std::string flags_text(unsigned flags) {
  static const std::pair<unsigned, const char*> names[] = {
      {MORA_FLAG_FAILED, "failed"},   {MORA_FLAG_EPOCH_CLOSED, "epoch_closed"},
      {MORA_FLAG_NO_PEER, "no_peer"}, {MORA_FLAG_UNSUCCESSFUL, "unsuccessful"},
      {MORA_FLAG_FORTRAN, "fortran"}, {MORA_FLAG_IN_PLACE, "in_place"},
      {MORA_FLAG_OPEN, "open"}};
  std::string text;
  for (auto [bit, name] : names)
    if (flags & bit) text += (text.empty() ? "" : ",") + std::string(name);
  return text;
}

std::string ranks_text(std::span<const std::uint64_t> words, std::size_t from, std::size_t n) {
  std::string text;
  for (std::size_t i = from; i < from + n; i++) {
    const std::uint64_t word = words[i / 2];
    text += fmt::format("{}{}", i > from ? "," : "", i % 2 ? pair_high(word) : pair_low(word));
  }
  return text;
}

/// From word `begin` on; the second word tells the bytes of both.
std::string file_and_name(std::span<const std::uint64_t> w, std::size_t begin) {
  const auto file = static_cast<std::uint32_t>(pair_low(w[1])), name = static_cast<std::uint32_t>(pair_high(w[1]));
  const auto* const text = reinterpret_cast<const char*>(w.data() + begin);
  return fmt::format(" file={} name={}", std::string_view(text, file),
                     std::string_view(text + (std::size_t{file} + 7) / 8 * 8, name));
}

std::string payload_text(const Record& r, FunctionName name_of_function) {
  const auto& w = r.payload;
  auto low = [&](std::size_t i) { return pair_low(w[i]); };
  auto high = [&](std::size_t i) { return pair_high(w[i]); };
  auto optional = [&](std::size_t i, const char* name) {
    return w.size() > i ? fmt::format(" {}={}", name, w[i]) : std::string();
  };
  switch (r.shape) {
    case MORA_SHAPE_SEND:
    case MORA_SHAPE_RECV:
    case MORA_SHAPE_ISEND:
    case MORA_SHAPE_IRECV:
      return fmt::format(" comm={} peer={} tag={} bytes={}", r.object, low(0), high(0), w[1]) + optional(2, "request");
    case MORA_SHAPE_SENDRECV:
      return fmt::format(" comm={} dest={} sendtag={} sent={} source={} recvtag={} received={}", r.object, low(0),
                         high(0), w[1], low(2), high(2), w[3]);
    case MORA_SHAPE_COMPLETE:
    case MORA_SHAPE_START: {
      std::string text = fmt::format(" n={}", w.size() / 4);
      for (std::size_t i = 0; i < w.size(); i += 4)
        text += fmt::format(" [request={} peer={} tag={} bytes={} comm={} kind={}]", w[i], low(i + 1), high(i + 1),
                            w[i + 2], low(i + 3), high(i + 3));
      return text;
    }
    case MORA_SHAPE_COLLECTIVE:
      return fmt::format(" comm={} root={} sent={} received={}", r.object, low(0), w[1], w[2]) + optional(3, "request");
    case MORA_SHAPE_VECTOR: {
      static const char* const directions[] = {"sent", "received", "destinations", "sources"};
      std::string text = fmt::format(" {}=", directions[low(0) & 3]);
      for (std::size_t i = 1; i < w.size(); i++) text += fmt::format("{}{}", i > 1 ? "," : "", w[i]);
      return text;
    }
    case MORA_SHAPE_RMA:
      return fmt::format(" win={} target={} rmaid={} origin_bytes={} target_bytes={} at={} first={} extent={}",
                         r.object, low(0), high(0), w[1], w[2], w[3], static_cast<std::int64_t>(w[4]), w[5] << 8 >> 8) +
             (w[5] >> 56 != 0 ? fmt::format(" reduction={}", w[5] >> 56) : "") + optional(6, "request");
    case MORA_SHAPE_WIN_COLLECTIVE:
      return fmt::format(" win={} assert={}", r.object, low(0));
    case MORA_SHAPE_WIN_GROUP:
      return fmt::format(" win={} group={} assert={}", r.object, low(0), high(0));
    case MORA_SHAPE_WIN_LOCK:
      return fmt::format(" win={} target={} type={} assert={}", r.object, low(0), high(0), w[1]);
    case MORA_SHAPE_POLLS:
      return fmt::format(" polls={} between={}", w[0], w[1]);
    case MORA_SHAPE_WIN_FLUSH:
      return fmt::format(" win={} target={}", r.object, low(0));
    case MORA_SHAPE_IO:
      return fmt::format(" file={} asked={} done={} request={}", r.object, w[0], w[1], w[2]);
    case MORA_SHAPE_SHMEM_TRANSFER:
      return fmt::format(" pe={} id={} put={} got={}", low(0), high(0), w[1], w[2]);
    case MORA_SHAPE_SHMEM_COLLECTIVE:
      return fmt::format(" first={} log_stride={} pes={} root={} sent={} received={}", low(0), high(0), low(1), high(1),
                         w[2], w[3] == MORA_BYTES_UNKNOWN ? "?" : std::to_string(w[3]));
    case MORA_SHAPE_SHMEM_LOCK:
      return fmt::format(" lock={:x}", w[0]);
    case MORA_SHAPE_THREAD_LOCK:
      return fmt::format(" mutex={:x}{}{}{}", w[0], (w[1] & MORA_LOCK_GIVEN_UP) != 0 ? " given_up" : "",
                         (w[1] & MORA_LOCK_TAKEN) != 0 ? " taken" : "",
                         (w[1] & MORA_LOCK_PASSED) != 0 ? " passed" : "");
    case MORA_SHAPE_DEFINE_FUNCTION: {
      const auto* name = reinterpret_cast<const char*>(w.data() + 1);
      return fmt::format(" id={} library={} name={}", r.object, low(0), std::string(name, strnlen(name, high(0))));
    }
    case MORA_SHAPE_DEFINE_FILE:
      return fmt::format(" id={} comm={}", r.object, low(0));
    case MORA_SHAPE_DEFINE_COMM: {
      const auto local = static_cast<std::uint32_t>(high(1)), remote = static_cast<std::uint32_t>(low(2));
      return fmt::format(" id={} parent={} ordinal={} kind={} key={} members={} remote={}", r.object,
                         static_cast<std::uint32_t>(low(0)), high(0), low(1), high(2),
                         ranks_text(w.subspan(3), 0, local), ranks_text(w.subspan(3), local, remote));
    }
    case MORA_SHAPE_DEFINE_GRID: {
      std::string text = fmt::format(" comm={} extents=", r.object);
      for (std::size_t d = 0; d < w[0]; ++d) text += fmt::format("{}{}", d == 0 ? "" : "x", low(1 + 2 * d));
      for (const auto& [key, word] : {std::pair{" periodic=", std::size_t{1}}, {" at=", std::size_t{2}}}) {
        text += key;
        for (std::size_t d = 0; d < w[0]; ++d)
          text += fmt::format("{}{}", d == 0 ? "" : ",", word == 1 ? high(1 + 2 * d) : low(2 + 2 * d));
      }
      return text;
    }
    case MORA_SHAPE_DEFINE_GROUP:
      return fmt::format(" id={} members={}", r.object,
                         ranks_text(w.subspan(1), 0, static_cast<std::uint32_t>(low(0))));
    case MORA_SHAPE_DEFINE_WIN:
      return fmt::format(" id={} comm={} ordinal={} by={} unit={}", r.object, low(0), high(0),
                         name_of_function(static_cast<unsigned>(w[1])), w[2]);
    case MORA_SHAPE_CLOCK:
      return fmt::format(" ticks={} monotonic_ns={} realtime_ns={}", w[0], w[1], w[2]);
    case MORA_SHAPE_CLOCK_OFFSET:
      return fmt::format(" ticks={} offset_ns={} round_trip_ns={} phase={} samples={}", w[0],
                         static_cast<std::int64_t>(w[1]), w[2], low(3), high(3));
    case MORA_SHAPE_OVERHEAD:
      return fmt::format(" what={}", low(0));
    case MORA_SHAPE_LOST:
      return fmt::format(" errno={} count={}", low(0), w[1]);
    case MORA_SHAPE_CORE:
      return fmt::format(" cpu_ns={} run_queue_ns={} kernel_ns={} faults={} voluntary={} involuntary={}", w[0], w[1],
                         w[2], w[3], w[4], w[5]);
    case MORA_SHAPE_DEFINE_COUNTER:
      return fmt::format(
          " number={} how={} errno={} program_only={} name={}", r.object, low(0), high(0), low(1),
          std::string_view(reinterpret_cast<const char*>(w.data() + 2),
                           std::min<std::size_t>(static_cast<std::uint32_t>(high(1)), (w.size() - 2) * 8)));
    case MORA_SHAPE_COUNTERS:
      return fmt::format(" counters={} {}", r.object, fmt::join(w, " "));
    case MORA_SHAPE_PROCESSORS: {
      std::string text = fmt::format(" node={} limit={} mask=", low(0), high(0));
      for (std::size_t i = w.size(); i-- > 1;) text += fmt::format("{:0{}x}", w[i], i + 1 == w.size() ? 0 : 16);
      return text;
    }
    case MORA_SHAPE_FUNCTION_BEGIN:
    case MORA_SHAPE_FUNCTION_END:
      return fmt::format(" function={:x}", r.site);
    case MORA_SHAPE_TEAM: {
      static const char* const steps[] = {"?", "fork", "begin", "end", "join"};
      const auto step = static_cast<std::size_t>(low(0));
      return fmt::format(" {} team={} threads={}", steps[step < std::size(steps) ? step : 0], w[1], high(0));
    }
    case MORA_SHAPE_PROFILE:
      return fmt::format(
          " visits={} ticks={} least={} most={} sent={} received={} messages_sent={} messages_received={} records={}",
          w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]);
    case MORA_SHAPE_SYNC: {
      static const char* const kinds[] = {"?",     "barrier", "implicit_barrier", "taskwait", "critical", "ordered",
                                          "lock",  "task",    "taskloop",         "loop",     "sections", "single",
                                          "master"};
      static const char* const steps[] = {"?", "begin", "end", "acquired", "released"};
      const auto kind = static_cast<std::size_t>(low(0)), step = static_cast<std::size_t>(high(0));
      return fmt::format(" {} {} object={:x}", kinds[kind < std::size(kinds) ? kind : 0],
                         steps[step < std::size(steps) ? step : 0], w[1]);
    }
    case MORA_SHAPE_USAGE:
      return fmt::format(
          " user_ns={} system_ns={} faults={} input_faults={} voluntary={} involuntary={} resident={} throttled_ns={} "
          "khz={}{}{}{}{}",
          w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], optional(9, "read"), optional(10, "written"),
          optional(11, "from_storage"), optional(12, "to_storage"));
    case MORA_SHAPE_NOTE:
      return fmt::format(" note={} value={}", low(0), w[1]);
    case MORA_SHAPE_RECORDING:
      return fmt::format(" on={}", low(0));
    case MORA_SHAPE_DEFINE_MARK:
      return fmt::format(" number={} kind={} line={}{}", r.object, low(0), high(0), file_and_name(w, 2));
    case MORA_SHAPE_DEFINE_PLACE:
      return fmt::format(" number={} line={} first={} last={}{}", r.object, low(0), high(0), low(2),
                         file_and_name(w, 3));
    case MORA_SHAPE_MARK_BEGIN:
    case MORA_SHAPE_MARK_END:
      return fmt::format(" number={} argument={}", r.object, low(0));
    case MORA_SHAPE_DEFINE_TYPE:
      return fmt::format(" id={} size={} extent={} code={}{}{} name={}", r.object, w[0],
                         static_cast<std::int64_t>(w[1]), low(2), high(2) & 1 ? " contiguous" : "",
                         high(2) & 2 ? " predefined" : "",
                         std::string(reinterpret_cast<const char*>(&w[4]), static_cast<std::uint32_t>(low(3))));
    case MORA_SHAPE_DATA:
      return fmt::format(" thread={} types={},{} counts={},{}", r.object, low(0), high(0),
                         static_cast<std::int64_t>(w[1]), static_cast<std::int64_t>(w[2])) +
             (w.size() > 3 ? fmt::format(" with={},{}", low(3), high(3)) : std::string());
    case MORA_SHAPE_DEFINE_STACK:
      return fmt::format(" id={} inner={} addresses={:#x}", r.object, low(0),
                         fmt::join(w.subspan(1, static_cast<std::uint32_t>(high(0))), ","));
    case MORA_SHAPE_DEFINE_PATH:
      return fmt::format(" id={} addresses={:#x}", r.object,
                         fmt::join(w.subspan(1, static_cast<std::uint32_t>(low(0))), ","));
    case MORA_SHAPE_SAMPLE:
      return fmt::format(" address={:#x} path={} weight={}", r.site, r.object, low(0));
    case MORA_SHAPE_NAME:
      return fmt::format(" id={} what={} name={}", r.object, low(0),
                         std::string(reinterpret_cast<const char*>(&w[1]), static_cast<std::uint32_t>(high(0))));
    default:
      return fmt::format(" object={}", r.object);
  }
}

}  // namespace

std::string text_of(const Record& record, FunctionName name_of_function) {
  const std::string flags = flags_text(record.flags);
  return fmt::format("{}{}{}{}", name_of_shape(record.shape),
                     record.function ? " " + name_of_function(record.function) : std::string(),
                     payload_text(record, name_of_function), flags.empty() ? "" : " flags=" + flags);
}

}  // namespace mora::journal
