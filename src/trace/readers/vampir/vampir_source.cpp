/// Source: Wolf 1998, appendix B; the record layouts: vampir_record.h; rules `definitions-anywhere`,
/// `unbalanced-exits`.
/// Idea: two passes over the records. Definitions may stand anywhere, so the first collects them
/// (vampir_definitions.h), the second turns events into the trace's. An EXCHANGE record that ends a region names the
/// region returned to, not the one left; so each CPU has a stack, and what is left is on top of it. A return to a
/// region further down leaves all regions above it, which is counted (missing-leave). Old files have no call type: then
/// a record is a return if it names the top level or the region below the top, else an enter.
/// Cost: linear in the file. Memory: the file mapped, definitions, one stack per CPU, and the events (event_spool.h).
/// Limits: without call types, recursion cannot be recognised; collective and I/O records are counted, not read.
#include "trace/readers/vampir/vampir_source.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "base/interruption.h"
#include "trace/mpi_function.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/building/whole_file.h"
#include "trace/readers/vampir/vampir_definitions.h"

namespace mora::trace {
namespace {

using namespace vampir;

constexpr ReadingDamage::Kind undefined_symbol = {"undefined-reference", Severity::warning,
                                                  "regions without a definition are named by their numbers",
                                                  "the file is damaged or incomplete"};
constexpr ReadingDamage::Kind undefined_members = {
    "unknown-members", Severity::info, "communicators without a usable definition are taken to have all processes", ""};
constexpr ReadingDamage::Kind no_period = {"no-clock-properties", Severity::warning,
                                           "the file does not say how fast its clock runs; nanoseconds are assumed",
                                           "the header of the file is missing: copy the file again"};
constexpr ReadingDamage::Kind no_count = {"undefined-process", Severity::warning,
                                          "the header does not say how many processes there are; the largest number "
                                          "in the file decides",
                                          "the header of the file is missing: copy the file again"};

constexpr ReadingDamage::Kind skipped_return = {"missing-leave", Severity::warning,
                                                "regions were not left before a return past them",
                                                "the recording tool lost events: check its settings and record again"};

constexpr int call_type_call = 1, call_type_return = 2;  // 0: unknown
constexpr std::size_t exchange_size = 32;                // without call type and source position

class VampirReader {
 public:
  explicit VampirReader(std::string_view content)
      : content_(content),
        limit_(believable_processes(content.size())),
        builder_("VAMPIR binary"),
        members_left_((std::uint64_t{1} << 22) + content.size()) {
    builder_.end_is_a_cut();
  }

  Result<std::unique_ptr<Source>> read() {
    will_read(2 * content_.size());
    d_ = gather_definitions(content_, limit_, damage_);
    define();
    Records records(content_);
    Record record;
    while (!is_interrupted() && records.next(record)) event(record);
    damage_.report(builder_.quality());
    MORA_TRY(auto source, builder_.finish());
    return std::unique_ptr<Source>(std::move(source));
  }

 private:
  void define() {
    if (!d_.clock) {
      if (!d_.clock_defined) damage_.add(no_period);
      d_.clock = TickClock::make(1e-9);
    }
    if (d_.cpus == 0) damage_.add(no_count);
    declared_ = d_.cpus == 0 ? limit_ : d_.cpus;
    cpus_ = std::max(d_.cpus, d_.highest);
    for (std::uint64_t cpu = 0; cpu < cpus_; ++cpu) {
      const auto name = d_.cpu_names.find(static_cast<std::int32_t>(cpu));
      builder_.location(static_cast<std::uint32_t>(cpu), 0, name == d_.cpu_names.end() ? "" : name->second);
    }
    cpus_state_.resize(cpus_);
    for (const SymbolKey& key : d_.symbol_order) region(key, {});
    for (const auto& [id, members] : d_.communicators) communicator(id);
  }

  void event(const Record& record) {
    switch (record.type) {
      case exchange:
      case send_message:
      case receive_message:
        break;
      case comment:
      case creator:
      case version:
      case def_token:
      case def_symbol:
      case def_message_symbol:
      case n_cpus:
      case cpu_names:
      case clock_period:
      case def_cpu_symbol:
      case time_offset:
      case file_token:
      case def_communicator:
      case source_info:
        return;
      default:
        return damage_.add(damage::uninterpreted, "byte", record.offset);
    }
    Fields fields(record.data);
    const auto time = d_.clock->time(fields.real());
    const std::int32_t cpu = fields.number();
    if (!fields.sound() || !time) return damage_.add(damage::record, "byte", record.offset);
    if (cpu < 0 || static_cast<std::uint64_t>(cpu) >= limit_)
      return damage_.add(damage::impossible_process, "byte", record.offset);
    Event e;
    e.time = *time + d_.time_offset;
    const bool sound = record.type == exchange ? change(record, fields, cpu, e) : message(record, fields, cpu, e);
    if (!sound) return damage_.add(damage::record, "byte", record.offset);
    if (static_cast<std::uint64_t>(cpu) >= declared_) damage_.add(damage::process, "byte", record.offset);
  }

  bool message(const Record& record, Fields& fields, std::int32_t cpu, Event& e) {
    const std::int32_t peer = fields.number(), comm = fields.number();
    e.tag = fields.number();
    const std::int32_t length = fields.number();
    if (!fields.sound() || length < 0) return false;
    if (peer < 0 || static_cast<std::uint64_t>(peer) >= cpus_) {
      damage_.add(damage::partner, "byte", record.offset);
      return true;
    }
    e.kind = record.type == send_message ? EventKind::send : EventKind::receive;
    e.peer = static_cast<std::uint32_t>(peer);
    e.comm = comm == no_communicator ? no_id : communicator(comm);
    e.bytes = static_cast<std::uint64_t>(length);
    builder_.append(static_cast<LocationId>(cpu), e);
    return true;
  }

  bool change(const Record& record, Fields& fields, std::int32_t cpu, const Event& e) {
    // The old pair may be NOACT "to suppress inconsistencies": no source for what is left.
    fields.number();
    fields.number();
    SymbolKey to;
    to.first = fields.number();
    to.second = fields.number();
    fields.number();                         // job
    const std::size_t left = fields.left();  // call type (1), source position (8), both (9)
    if (!fields.sound() || (left > 1 && left < 8)) return false;
    const bool has_type = left == 1 || left >= 9;
    const int stated = has_type ? static_cast<unsigned char>(record.data[exchange_size]) : 0;
    Cpu& state = cpus_state_[static_cast<std::size_t>(cpu)];
    const auto location = static_cast<LocationId>(cpu);
    const bool to_top_level = to.first == no_activity;
    const auto& stack = state.stack;
    const bool under_top = stack.size() >= 2 && stack[stack.size() - 2] == to;
    const bool inferred = stated != call_type_call && stated != call_type_return;
    if (inferred ? to_top_level || under_top : stated == call_type_return) {
      std::size_t leaves = 1;
      if (to_top_level)
        leaves = std::max<std::size_t>(stack.size(), 1);
      else if (!under_top)
        leaves = state.above(to).value_or(1);
      for (std::size_t i = 0; i < leaves; ++i) state.pop();
      builder_.leave(location, e.time);
      const std::size_t depth = builder_.depth(location);
      const std::size_t skipped = builder_.close(location, e.time, depth - std::min(depth, leaves - 1));
      for (std::size_t i = 0; i < skipped; ++i) damage_.add(skipped_return, "byte", record.offset);
      return true;
    }
    if (to_top_level) return false;
    Fields source(record.data.substr(std::min(record.data.size(), exchange_size + (has_type ? 1 : 0))));
    std::int32_t file = 0, line = 0;
    const bool has_source = source.source(file, line);
    state.push(to);
    builder_.enter(location, e.time, has_source ? called_region(to, file, line, record) : region(to, record));
    return true;
  }

  /// The region of a pair, made when first seen. Pairs with equal names stay different regions.
  RegionId region(const SymbolKey& key, const Record& record) {
    const auto known = regions_.find(key);
    if (known != regions_.end()) return known->second;
    const auto [name, group] = names(key);
    const auto symbol = d_.symbols.find(key);
    if (symbol == d_.symbols.end()) damage_.add(undefined_symbol, "byte", record.offset);
    RegionId id = symbol == d_.symbols.end() ? builder_.region(name, group)
                                             : builder_.region(name, group, symbol->second.file, symbol->second.line);
    if (!taken_.insert(id).second) {
      auto& regions = builder_.definitions().regions;
      Region another = regions[id];
      id = static_cast<RegionId>(regions.size());
      regions.push_back(std::move(another));
      taken_.insert(id);
    }
    regions_.emplace(key, id);
    return id;
  }

  /// MPI functions are one region per call site, as everywhere in Mora.
  RegionId called_region(const SymbolKey& key, std::int32_t file, std::int32_t line, const Record& record) {
    const auto name_of_file = d_.files.find(file);
    const auto symbol = d_.symbols.find(key);
    if (name_of_file == d_.files.end() || symbol == d_.symbols.end() ||
        mpi::find(symbol->second.name) == FunctionId::none)
      return region(key, record);
    const auto [name, group] = names(key);
    return builder_.region(name, group, name_of_file->second, line > 0 ? static_cast<std::uint32_t>(line) : 0);
  }

  std::pair<std::string, std::string> names(const SymbolKey& key) const {
    const auto activity = d_.activities.find(key.first);
    std::string group = activity == d_.activities.end() ? "activity " + std::to_string(key.first) : activity->second;
    const auto symbol = d_.symbols.find(key);
    if (symbol != d_.symbols.end() && !symbol->second.name.empty()) return {symbol->second.name, std::move(group)};
    return {group + " " + std::to_string(key.second), std::move(group)};
  }

  /// Named by its number in the file. Communicator 0 is MPI_COMM_WORLD where nothing else is said.
  CommId communicator(std::int32_t id) {
    auto& communicators = builder_.definitions().communicators;
    const auto [at, made] = communicators_.try_emplace(id, static_cast<CommId>(communicators.size()));
    if (!made) return at->second;
    Communicator c;
    c.name = std::to_string(id);
    const auto defined = d_.communicators.find(id);
    if (defined != d_.communicators.end()) c.members = defined->second;
    if (c.members.empty() && members_left_ >= cpus_) {
      if (defined != d_.communicators.end() || id != 0) damage_.add(undefined_members);
      members_left_ -= cpus_;
      c.members.resize(cpus_);
      std::iota(c.members.begin(), c.members.end(), 0U);
    }
    communicators.push_back(std::move(c));
    return at->second;
  }

  /// What a CPU is in. The counts keep a return to a region that is not open from searching a deep stack in vain.
  struct Cpu {
    std::vector<SymbolKey> stack;
    std::map<SymbolKey, std::uint32_t> open;

    void push(const SymbolKey& key) {
      stack.push_back(key);
      ++open[key];
    }
    void pop() {
      if (stack.empty()) return;
      const auto at = open.find(stack.back());
      if (--at->second == 0) open.erase(at);
      stack.pop_back();
    }
    /// How many regions lie above the innermost `key`, the top not counted as one.
    std::optional<std::size_t> above(const SymbolKey& key) const {
      const auto times = open.find(key);
      if (times == open.end() || (stack.back() == key && times->second == 1)) return {};
      const auto at = std::find(stack.rbegin() + 1, stack.rend(), key);
      return static_cast<std::size_t>(at - stack.rbegin());
    }
  };

  const std::string_view content_;
  const std::uint64_t limit_;
  TraceBuilder builder_;
  ReadingDamage damage_;
  VampirDefinitions d_;
  std::uint64_t declared_ = 0, cpus_ = 0, members_left_;
  std::vector<Cpu> cpus_state_;
  std::map<SymbolKey, RegionId> regions_;
  std::set<RegionId> taken_;
  std::map<std::int32_t, CommId> communicators_;
};

/// The ASCII variant names its header lines.
bool is_vampir_ascii(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  while (!start.empty()) {
    const auto end = start.find('\n');
    std::string_view line = start.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.substr(0, 6) == "NCPUS " || line.substr(0, 10) == "CLKPERIOD ") return true;
    if (end == std::string_view::npos) break;
    start.remove_prefix(end + 1);
  }
  return false;
}

bool is_binary(std::string_view start) { return start.substr(0, magic.size()) == magic; }

}  // namespace

bool is_vampir(std::string_view start) { return is_binary(start) || is_vampir_ascii(start); }

Result<std::unique_ptr<Source>> read_vampir(std::string_view content, const std::string& file) {
  const auto refuse = [&](const char* why, const char* help) {
    return fail(ErrorKind::unreadable, "cannot read the VAMPIR trace", file, why, help);
  };
  if (!is_binary(content)) {
    if (is_vampir_ascii(content.substr(0, 4096)))
      return refuse("it is in VAMPIR's ASCII variant, which Mora does not read",
                    "convert it to VAMPIR's binary format");
    return refuse("it does not begin with 55 AA A5 5A 'BPV'",
                  "give a VAMPIR binary trace, or leave out --format: then Mora finds the format");
  }
  Record first;
  if (Records(content).next(first) && first.type == unmerged)
    return refuse("it is marked as unmerged: the events of a single process, not in the order of time",
                  "merge the processes' files with the tool that recorded them");
  auto source = VampirReader(content).read();
  if (!source && source.error().where.empty()) source.error().where = file;
  return source;
}

Result<std::unique_ptr<Source>> open_vampir(const std::string& path) { return open_whole_file(path, read_vampir); }

}  // namespace mora::trace
