// Communication patterns from everything that they are read from: trace.mpt, text traces, journals. What was read can
// be checked, counted, parsed, compared with itself, and written in every form.
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <memory>

#include "broken_promise.h"
#include "input_parts.h"
#include "journal_input.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/archive/bytes.h"
#include "predict/pattern/check/check.h"
#include "predict/pattern/compare/compare.h"
#include "predict/pattern/compare/equal_stretches.h"
#include "predict/pattern/features/features.h"
#include "predict/pattern/journals/from_journal.h"
#include "predict/pattern/matrix/matrix.h"
#include "predict/pattern/parse/engine.h"
#include "predict/pattern/parse/output.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/parse/source.h"
#include "predict/pattern/recording/totals.h"
#include "predict/pattern/text/text_trace.h"
#include "readers.h"

namespace mora::fuzz {
namespace {

using namespace predict;

/// A loop of a few bytes may stand for years of calls: only what a program could have done in a moment is used.
bool is_short(const PatternTrace& trace) {
  std::uint64_t calls = 0;
  for (const RankTrace& rank : trace.ranks) {
    const std::uint64_t size = rank.order.size();
    if (size > 2000) return false;
    calls += size;
  }
  return calls <= 4000 && trace.definitions.world_size <= 32;
}

void use(const PatternTrace& trace) {
  for (std::size_t i = 1; i < trace.ranks.size(); ++i)
    require(trace.ranks[i - 1].rank < trace.ranks[i].rank, "ranks are ascending");
  if (!is_short(trace)) return;
  (void)check_pattern(trace);
  (void)compare_patterns(trace, trace);  // calls on communicators that are not defined differ even from themselves
  for (const RankLikeness& rank : equal_stretches(trace, trace)) {
    require(rank.real_calls == rank.dry_calls && rank.equal_calls <= rank.real_calls, "as many calls as itself");
    (void)sentences_about(rank, 3);
  }
  (void)totals_of(trace);
  for (const CollectiveModel model :
       {CollectiveModel::linear, CollectiveModel::algorithms, CollectiveModel::openmpi, CollectiveModel::mpich}) {
    const auto features = make_features(trace, {.collectives = model, .placement = nullptr});
    if (!features) continue;
    (void)features_csv(*features);
    (void)features_json(*features);
    (void)features_text(*features);
  }
  const auto source = pattern_step_source(std::make_shared<const PatternTrace>(trace));
  std::map<std::string, std::string> files;
  MemorySink sink(files);
  ParseResult result;
  ParseFiles out(sink, ParseForm::loops);
  require(parse_steps(*source, out, {.workers = 1}, result, {}).has_value(), "what is in memory can be parsed");
  require(out.finish().has_value(), "a table can be written");
  (void)parse_result_json(result, "fuzzed");
}

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

/// A section with the right checksum: behind it stands what a test of bytes alone never reaches.
void append_section(std::string& out, archive::SectionKind kind, std::uint32_t ranks, std::string_view raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1));
  for (const std::uint32_t number : {std::uint32_t{kind}, 0U, ranks, 0U}) append_number(out, number, 4);
  append_number(out, raw.size(), 8);
  append_number(out, packed.size(), 8);
  append_number(out, XXH3_64bits(packed.data(), packed.size()), 8);
  out += packed;
}

}  // namespace

bool read_pattern_archive(std::span<const std::byte> bytes) {
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  const std::string_view given = text_of(bytes);
  std::string file(given);
  if (!given.starts_with("MORAPT")) {
    const std::size_t line = std::min(given.find('\n'), given.size());
    const std::string_view ranks = given.substr(std::min(line + 2, given.size()));
    file = archive::magic;
    append_number(file, archive::version, 4);
    append_section(file, archive::section_definitions, 0, given.substr(0, line));
    const std::uint32_t count = line + 1 < given.size() ? static_cast<unsigned char>(given[line + 1]) % 8 : 0;
    append_section(file, archive::section_ranks, count, ranks);
    append_section(file, archive::section_end, count, "");
  }
  const auto trace = read_archive(directory.write("trace.mpt", file));
  if (!trace) return false;
  use(*trace);
  const std::string copy = directory.path("copy.mpt");
  require(write_archive(*trace, copy).has_value(), "what was read can be written");
  const auto again = read_archive(copy);
  require(again && again->ranks.size() == trace->ranks.size(), "what was written can be read");
  for (std::size_t i = 0; i < trace->ranks.size(); ++i) {
    const RankTrace &a = trace->ranks[i], &b = again->ranks[i];
    require(a.rank == b.rank, "ranks are not lost in writing");
    require(a.calls == b.calls, "calls are not lost in writing");
    require(a.vectors == b.vectors, "vectors are not lost in writing");
    require(a.completions == b.completions, "completions are not lost in writing");
    require(a.order == b.order, "the order is not lost in writing");
  }
  return !trace->ranks.empty();
}

bool read_pattern_text(std::span<const std::byte> bytes) {
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  std::uint32_t rank = 0;
  for (const std::string_view part : parts_of(bytes)) {
    if (rank == 8) break;
    directory.write(fmt::format("ti_trace{}.txt", rank++), part);
  }
  std::map<std::string, std::string> files;
  const auto parsed = parse_pattern(directory.path(), files, {.workers = 1});
  require(parsed.has_value(), "files that are there can be parsed");
  const auto trace = read_text_traces(directory.path());
  require(trace.has_value(), "files that are there can be read");
  use(*trace);
  if (is_short(*trace))
    require(write_text_traces(*trace, directory.path("again")).has_value(), "what was read can be written");
  return trace->quality.empty();
}

bool read_pattern_journal(std::span<const std::byte> bytes) {
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  write_journals(directory, "journal", bytes);
  const auto trace = read_pattern_journals(directory.path(), Origin::record);
  if (!trace) return false;
  use(*trace);
  return true;
}

}  // namespace mora::fuzz
