/// Source: Nupshot (alog.h, MPICH 1.2.0); Wolf 1998, appendix A; rules `definitions-anywhere`, `line-order`.
/// Idea: two passes over the lines. A definition may stand anywhere, and a state (type -13) goes before an event type
/// (type -9) of the same number whatever their order, so the first pass collects all definitions before the second
/// turns records into events.
/// Cost: linear in the file. Memory: the file mapped, the definitions, and the events (event_spool.h).
/// Limits: messages carry no communicator; times beyond ±2^61 ns are counted as damage.
#include "trace/readers/alog/alog_source.h"

#include <map>

#include "base/interruption.h"
#include "trace/readers/alog/alog_record.h"
#include "trace/readers/building/reading_damage.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/building/whole_file.h"

namespace mora::trace {
namespace {

using alog::Record;

constexpr ReadingDamage::Kind missing_count = {"undefined-process", Severity::warning,
                                               "the header does not say how many processes there are; the largest "
                                               "number in the file decides",
                                               "the header of the file is missing: copy the file again"};
constexpr ReadingDamage::Kind too_few = {"truncated-trace", Severity::warning,
                                         "the header counts more events than the file holds",
                                         "the file is cut: copy or record it again"};
constexpr ReadingDamage::Kind second_definition = {"duplicate-definition", Severity::warning,
                                                   "definitions of numbers that have one already are left out",
                                                   "the header of the file is wrong: check the program that wrote it"};

/// Calls act(line, number); false if the last line has no end.
template <class Act>
bool each_line(std::string_view content, const Act& act) {
  std::uint64_t number = 0;
  while (!content.empty() && !is_interrupted()) {
    const auto end = content.find('\n');
    act(content.substr(0, end), ++number);
    if (end == std::string_view::npos) return has_read(content.size()), false;
    has_read(end + 1);
    content.remove_prefix(end + 1);
  }
  return true;
}

class AlogReader {
 public:
  AlogReader(std::string_view content, const std::string& file)
      : content_(content), file_(file), limit_(believable_processes(content.size())), builder_("ALOG") {
    builder_.end_is_a_cut();
  }

  Result<std::unique_ptr<Source>> read() {
    will_read(2 * content_.size());
    if (!gather())
      return fail(ErrorKind::unreadable, "cannot read the ALOG trace", file_,
                  "the first line is no record: six numbers (type, process, task, data, cycle, timestamp) are expected",
                  "give a trace in the ALOG format, or leave out --format: then Mora finds the format");
    define();
    each_line(content_, [&](std::string_view line, std::uint64_t number) {
      if (alog::is_comment(line)) return;
      const auto record = alog::parse(line);
      if (record)
        event(*record, number);
      else
        damage_.add(damage::record, "line", number);
    });
    if (expected_events_ > seen_events_) damage_.add(too_few, "line", expected_events_line_);
    damage_.report(builder_.quality());
    MORA_TRY(auto source, builder_.finish());
    return std::unique_ptr<Source>(std::move(source));
  }

 private:
  enum class Meaning { enter, leave, user };
  struct Type {
    Meaning meaning;
    std::uint32_t id;  ///< region or user type
  };

  /// First pass; false if the first record is none.
  bool gather() {
    bool any = false, wrong = false;
    std::uint64_t last = 0;
    const bool ended = each_line(content_, [&](std::string_view line, std::uint64_t number) {
      last = number;
      if (wrong || alog::is_comment(line)) return;
      const auto r = alog::parse(line);
      wrong = !any && !r;
      any = true;
      if (!r) return;
      switch (r->type) {
        case alog::process_count:
          count_line_ = number;
          if (processes_ == 0 && r->data > 0) processes_ = static_cast<std::uint64_t>(r->data);
          break;
        case alog::event_count:
          expected_events_ = r->data > 0 ? static_cast<std::uint64_t>(r->data) : 0;
          expected_events_line_ = number;
          break;
        case alog::rollover:
          rollover_ = r->timestamp;
          break;
        case alog::process_name:
          if (process_exists(r->process)) names_.try_emplace(static_cast<std::uint32_t>(r->process), r->comment);
          break;
        case alog::event_type:
          if (r->data < 0)
            damage_.add(damage::record, "line", number);
          else
            event_types_.push_back({r->data, r->comment, number});
          break;
        case alog::state:
          if (r->task < 0 || r->data < 0 || r->task == r->data)
            damage_.add(damage::record, "line", number);
          else
            states_.push_back({r->task, r->data, r->comment, number});
          break;
        default:
          if (r->type < 0 && r->type != alog::send && r->type != alog::receive) break;
          if (process_exists(r->process)) highest_ = std::max(highest_, static_cast<std::uint64_t>(r->process) + 1);
          if (r->type < 0 && process_exists(r->data))
            highest_partner_ = std::max(highest_partner_, static_cast<std::uint64_t>(r->data) + 1);
      }
    });
    if (!ended && !wrong) damage_.add(damage::truncated, "line", last);
    return any && !wrong;
  }

  bool process_exists(std::int64_t process) const {
    return process >= 0 && static_cast<std::uint64_t>(process) < limit_;
  }

  void define() {
    if (processes_ == 0) damage_.add(missing_count);
    if (processes_ > limit_) {
      damage_.add(damage::impossible_process, "line", count_line_);
      processes_ = 0;
    }
    declared_ = processes_ == 0 ? limit_ : processes_;
    processes_ = std::max({processes_, highest_, processes_ == 0 ? highest_partner_ : 0});
    for (const auto& [process, name] : names_) {
      if (process < processes_) builder_.location(process, 0, name);
    }
    for (std::uint64_t p = 0; p < processes_; ++p) builder_.location(static_cast<std::uint32_t>(p));
    for (const State& s : states_) {
      if (types_.count(s.enter) != 0 || types_.count(s.leave) != 0) {
        damage_.add(second_definition, "line", s.line);
        continue;
      }
      std::string name(alog::region_name(s.comment));
      if (name.empty()) name = "region " + std::to_string(s.enter);
      const RegionId region = builder_.region(name);
      types_[s.enter] = {Meaning::enter, region};
      types_[s.leave] = {Meaning::leave, region};
    }
    for (const EventType& t : event_types_) {
      const auto known = types_.find(t.type);
      if (known != types_.end() && known->second.meaning != Meaning::user) continue;  // a state goes before it
      if (known != types_.end()) {
        damage_.add(second_definition, "line", t.line);
        continue;
      }
      const std::string name = t.name.empty() ? "type " + std::to_string(t.type) : std::string(t.name);
      types_[t.type] = {Meaning::user, builder_.user_type(name)};
    }
  }

  void event(const Record& r, std::uint64_t line) {
    if (r.type < 0 && r.type >= -100) {
      if (r.type < alog::process_name) damage_.add(damage::uninterpreted, "line", line);
      return;
    }
    ++seen_events_;
    const auto type = types_.find(r.type);
    const bool message = r.type == alog::send || r.type == alog::receive;
    if (!message && type == types_.end()) return damage_.add(damage::uninterpreted, "line", line);
    if (!process_exists(r.process)) return damage_.add(damage::impossible_process, "line", line);
    Event e;
    if (!time_of(r, e.time)) return damage_.add(damage::record, "line", line);
    if (static_cast<std::uint64_t>(r.process) >= declared_) damage_.add(damage::process, "line", line);
    const LocationId location = builder_.location(static_cast<std::uint32_t>(r.process));
    if (message) {
      std::int64_t tag = 0, size = 0;
      if (!alog::two_numbers(r.comment, tag, size) || size < 0 || tag < INT32_MIN || tag > INT32_MAX)
        return damage_.add(damage::record, "line", line);
      if (r.data < 0 || static_cast<std::uint64_t>(r.data) >= processes_)
        return damage_.add(damage::partner, "line", line);
      e.kind = r.type == alog::send ? EventKind::send : EventKind::receive;
      e.peer = static_cast<std::uint32_t>(r.data);
      e.tag = static_cast<std::int32_t>(tag);
      e.bytes = static_cast<std::uint64_t>(size);
    } else if (type->second.meaning == Meaning::user) {
      e.kind = EventKind::user;
      e.vector = type->second.id;
      e.request = builder_.string(std::to_string(r.data));
    } else {
      e.kind = type->second.meaning == Meaning::enter ? EventKind::enter : EventKind::leave;
      e.region = type->second.id;
    }
    builder_.append(location, e);
  }

  /// Time = timestamp + cycle * rollover; false beyond ±2^61 ns, so that the difference of two times fits 64 bits.
  bool time_of(const Record& r, Nanoseconds& time) const {
    const __int128 exact = static_cast<__int128>(r.cycle) * rollover_ + r.timestamp;
    constexpr __int128 limit = static_cast<__int128>(1) << 61;
    time = static_cast<Nanoseconds>(exact);
    return exact >= -limit && exact <= limit;
  }

  struct State {
    std::int64_t enter, leave;
    std::string_view comment;
    std::uint64_t line;
  };
  struct EventType {
    std::int64_t type;
    std::string_view name;
    std::uint64_t line;
  };

  const std::string_view content_;
  const std::string& file_;
  const std::uint64_t limit_;
  TraceBuilder builder_;
  ReadingDamage damage_;
  std::uint64_t processes_ = 0, declared_ = 0, highest_ = 0, highest_partner_ = 0, count_line_ = 0;
  std::uint64_t expected_events_ = 0, expected_events_line_ = 0, seen_events_ = 0;
  Nanoseconds rollover_ = 0;
  std::map<std::uint32_t, std::string_view> names_;
  std::vector<State> states_;
  std::vector<EventType> event_types_;
  std::map<std::int64_t, Type> types_;
};

}  // namespace

bool is_alog(std::string_view start) {
  while (!start.empty()) {
    const auto end = start.find('\n');
    const std::string_view line = start.substr(0, end);
    if (!alog::is_comment(line)) {
      const auto record = alog::parse(line);
      return record && ((record->type >= -15 && record->type <= -1) || record->type == alog::send ||
                        record->type == alog::receive);
    }
    if (end == std::string_view::npos) break;
    start.remove_prefix(end + 1);
  }
  return false;
}

Result<std::unique_ptr<Source>> read_alog(std::string_view content, const std::string& file) {
  auto source = AlogReader(content, file).read();
  if (!source && source.error().where.empty()) source.error().where = file;
  return source;
}

Result<std::unique_ptr<Source>> open_alog(const std::string& path) { return open_whole_file(path, read_alog); }

}  // namespace mora::trace
