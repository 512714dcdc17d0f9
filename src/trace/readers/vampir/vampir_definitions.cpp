#include "trace/readers/vampir/vampir_definitions.h"

#include <algorithm>

#include "base/interruption.h"

namespace mora::trace::vampir {
namespace {

constexpr ReadingDamage::Kind redefined = {
    "duplicate-definition", Severity::warning, "definitions of numbers that have another one already are left out",
    "the file is damaged (copy it again), or was merged wrongly (merge it again)"};
constexpr ReadingDamage::Kind member = {"undefined-group-member", Severity::warning,
                                        "members of communicators are no processes of the trace, or named twice",
                                        "the file is damaged: copy it again"};
constexpr ReadingDamage::Kind clock_period_wrong = {"no-clock-properties", Severity::warning,
                                                    "the duration of a clock tick cannot be; nanoseconds are assumed",
                                                    "the header of the file is damaged: copy the file again"};

class Gatherer {
 public:
  Gatherer(std::string_view file, std::uint64_t limit, ReadingDamage& damage)
      : file_(file), limit_(limit), damage_(damage), members_left_((std::uint64_t{1} << 22) + file.size()) {}

  VampirDefinitions run() {
    Records records(file_);
    Record record;
    while (!is_interrupted() && records.next(record)) {
      Fields fields(record.data);
      if (!read(record, fields)) damage_.add(damage::record, "byte", record.offset);
    }
    if (records.cut()) damage_.add(damage::truncated, "byte", records.offset());
    if (d_.cpus > limit_) {
      damage_.add(damage::impossible_process, "byte", cpus_offset_);
      d_.cpus = 0;
    }
    resolve_sources();
    resolve_communicators();
    return std::move(d_);
  }

 private:
  struct Triplets {
    std::int32_t size;
    std::string_view bytes;
    std::uint64_t offset;
  };

  /// False if the record is damaged. Events are only looked at for their CPU.
  bool read(const Record& record, Fields& fields) {
    switch (record.type) {
      case def_token: {
        const std::int32_t token = fields.number();
        const std::string_view name = fields.string();
        return fields.sound() && token > 0 && define(d_.activities, token, std::string(name), record);
      }
      case def_symbol: {
        SymbolKey key;
        key.first = fields.number();
        key.second = fields.number();
        Symbol symbol;
        symbol.name = fields.string();
        std::int32_t file = 0, line = 0;
        const bool has_source = fields.source(file, line);
        if (!fields.sound() || key.first == no_activity) return false;
        if (has_source) symbol_sources_.try_emplace(key, file, line);
        const auto [at, made] = d_.symbols.try_emplace(key, symbol);
        if (made) d_.symbol_order.push_back(key);
        if (!made && at->second.name != symbol.name) damage_.add(redefined, "byte", record.offset);
        return true;
      }
      case n_cpus: {
        const std::int32_t groups = fields.number();
        if (groups < 0 || static_cast<std::size_t>(groups) > fields.left() / 4) return false;
        std::uint64_t sum = 0;
        for (std::int32_t i = 0; i < groups; ++i) {
          const std::int32_t size = fields.number();
          if (size < 0) return false;
          sum += static_cast<std::uint64_t>(size);
        }
        if (d_.cpus == 0) d_.cpus = sum;
        cpus_offset_ = record.offset;
        return fields.sound();
      }
      case clock_period: {
        const double seconds = fields.real();
        if (!fields.sound()) return false;
        const auto clock = TickClock::make(seconds);
        if (!clock) damage_.add(clock_period_wrong, "byte", record.offset);
        d_.clock_defined = true;
        if (!d_.clock) d_.clock = clock;
        return true;
      }
      case time_offset: {
        const std::int32_t seconds = fields.number();
        if (fields.sound() && !offset_known_) d_.time_offset = Nanoseconds{seconds} * 1000000000;
        offset_known_ = offset_known_ || fields.sound();
        return fields.sound();
      }
      case def_cpu_symbol: {
        const std::int32_t cpu = fields.number();
        const std::string_view name = fields.string();
        return fields.sound() && exists(cpu) && define(d_.cpu_names, cpu, std::string(name), record);
      }
      case file_token: {
        const std::int32_t token = fields.number();
        const std::string_view name = fields.string();
        return fields.sound() && define(d_.files, token, std::string(name), record);
      }
      case def_communicator: {
        const std::int32_t id = fields.number();
        const std::int32_t size = fields.number();
        const std::int32_t triplets = fields.number();
        if (!fields.sound() || size < 0 || triplets < 0 || id == no_communicator) return false;
        if (static_cast<std::size_t>(triplets) > fields.left() / 12) return false;
        const Triplets found = {size, record.data.substr(12, static_cast<std::size_t>(triplets) * 12), record.offset};
        const auto [at, made] = triplets_.try_emplace(id, found);
        if (!made && at->second.bytes != found.bytes) damage_.add(redefined, "byte", record.offset);
        return true;
      }
      case exchange:
      case send_message:
      case receive_message: {
        fields.real();
        const std::int32_t cpu = fields.number();
        if (exists(cpu)) d_.highest = std::max(d_.highest, static_cast<std::uint64_t>(cpu) + 1);
        return true;  // the second pass judges it
      }
      default:
        return true;
    }
  }

  bool exists(std::int32_t cpu) const { return cpu >= 0 && static_cast<std::uint64_t>(cpu) < limit_; }

  bool define(std::map<std::int32_t, std::string>& names, std::int32_t id, std::string name, const Record& record) {
    const auto [at, made] = names.try_emplace(id, name);
    if (!made && at->second != name) damage_.add(redefined, "byte", record.offset);
    return true;
  }

  void resolve_sources() {
    for (const auto& [key, source] : symbol_sources_) {
      const auto symbol = d_.symbols.find(key);
      const auto file = d_.files.find(source.first);
      if (symbol == d_.symbols.end() || file == d_.files.end()) continue;
      symbol->second.file = file->second;
      symbol->second.line = source.second > 0 ? static_cast<std::uint32_t>(source.second) : 0;
    }
  }

  /// Only now is known how many CPUs there are. The members of all communicators together are bounded: a triplet of
  /// twelve bytes can name any number of them.
  void resolve_communicators() {
    const std::uint64_t cpus = std::max(d_.cpus, d_.highest);
    for (const auto& [id, triplets] : triplets_) {
      std::vector<std::uint32_t> members;
      Fields fields(triplets.bytes);
      bool complete = true;
      while (complete && fields.left() > 0) {
        const std::int64_t lower = fields.number();
        const std::int64_t upper = fields.number();
        const std::int64_t increment = fields.number();
        complete = increment > 0 || lower == upper;
        for (std::int64_t cpu = lower; complete && cpu <= upper; cpu += std::max<std::int64_t>(increment, 1)) {
          complete = cpu >= 0 && static_cast<std::uint64_t>(cpu) < cpus && members_left_ > 0 &&
                     members.size() < static_cast<std::size_t>(triplets.size);
          if (!complete) break;
          members.push_back(static_cast<std::uint32_t>(cpu));
          --members_left_;
        }
      }
      if (!complete || members.size() != static_cast<std::size_t>(triplets.size) || !distinct(members)) {
        damage_.add(member, "byte", triplets.offset);
        members.clear();
      }
      d_.communicators.emplace(id, std::move(members));
    }
  }

  static bool distinct(std::vector<std::uint32_t> members) {
    std::sort(members.begin(), members.end());
    return std::adjacent_find(members.begin(), members.end()) == members.end();
  }

  const std::string_view file_;
  const std::uint64_t limit_;
  ReadingDamage& damage_;
  VampirDefinitions d_;
  std::uint64_t members_left_, cpus_offset_ = 0;
  bool offset_known_ = false;
  std::map<SymbolKey, std::pair<std::int32_t, std::int32_t>> symbol_sources_;
  std::map<std::int32_t, Triplets> triplets_;
};

}  // namespace

VampirDefinitions gather_definitions(std::string_view file, std::uint64_t limit, ReadingDamage& damage) {
  return Gatherer(file, limit, damage).run();
}

}  // namespace mora::trace::vampir
