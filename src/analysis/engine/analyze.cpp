/// analyze(): defaults of the options, which ranks belong together, intervals as enter and leave events, then the
/// engine.
#include "analysis/analyze.h"

#include <algorithm>

#include "analysis/carrier/carrier.h"
#include "analysis/engine/engine.h"
#include "analysis/storage/buffer.h"
#include "base/worker_pool.h"
#include "trace/intervals/phases.h"

namespace mora::analysis {

namespace {

/// Each process looks for found intervals in the locations that it will analyse: what is damaged there is counted once.
trace::PhaseSearch shared_search(const trace::Source& source, const AnalyzeOptions& options, Carrier& carrier) {
  trace::PhaseSearch search;
  search.workers = options.workers;
  search.memory = options.memory / 4;
  constexpr std::uint64_t kept = std::uint64_t{64} << 20;  // before there is anything else in memory
  search.keep = options.memory != 0 ? std::min(kept, options.memory / 16 + 1) : kept;
  search.keep_for = options.memory != 0 && options.ideal_network && carrier.is_first() ? 2 : 1;  // the replay's
  const std::vector<unsigned>& local = carrier.local_partitions();
  if (local.size() == carrier.partitions()) return search;
  const std::vector<std::uint32_t> partition = partition_of_ranks(source, carrier.partitions());
  for (const trace::Location& location : source.definitions().locations) {
    search.is_mine.push_back(std::find(local.begin(), local.end(), partition[location.rank]) != local.end());
  }
  search.gather = [&carrier, partitions = local.size()](const std::string& found) -> Result<std::vector<std::string>> {
    std::vector<Buffer> own(partitions);
    for (Buffer& buffer : own) BufferWriter(buffer).put_text(&buffer == own.data() ? found : std::string());
    MORA_TRY(const std::vector<Buffer> all, carrier.gather_to_all(std::move(own)));
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const Buffer& buffer : all) texts.push_back(BufferReader(buffer).take_text());
    return texts;
  };
  return search;
}

/// The cores, or one where threads take longer to start than to work: each of a dozen phases starts its own.
unsigned worth_their_start(const trace::Source& source) {
  constexpr std::uint64_t k_few_events = 5000;
  std::uint64_t events = 0;
  for (std::uint32_t l = 0; l < source.definitions().locations.size(); ++l) {
    const std::uint64_t hint = source.event_count_hint(l);
    if (hint == 0) return usable_cores();
    events += hint;
    if (events > k_few_events) return usable_cores();
  }
  return 1;
}

}  // namespace

std::vector<std::uint32_t> partition_of_ranks(const trace::Source& source, unsigned partitions) {
  const trace::Definitions& definitions = source.definitions();
  std::uint32_t ranks = definitions.world_size;
  for (const trace::Location& l : definitions.locations) ranks = std::max(ranks, l.rank + 1);
  std::vector<std::uint64_t> weight(ranks, 0);
  std::uint64_t total = 0;
  for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
    const std::uint64_t w = source.event_count_hint(l) + 1;
    weight[definitions.locations[l].rank] += w;
    total += w;
  }
  std::vector<std::uint32_t> partition(ranks, trace::no_id);
  std::uint64_t before = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (weight[rank] == 0) continue;
    partition[rank] = static_cast<std::uint32_t>(std::min<std::uint64_t>(before * partitions / total, partitions - 1));
    before += weight[rank];
  }
  return partition;
}

Result<AnalysisResult> analyze(trace::Source& source, const std::string& trace_path, const AnalyzeOptions& options) {
  const unsigned workers = options.workers != 0 ? options.workers : worth_their_start(source);
  const auto ranks = static_cast<unsigned>(std::max<std::size_t>(1, source.definitions().locations.size()));
  AnalyzeOptions exact = options;
  exact.workers = workers;
  ThreadCarrier carrier(options.partitions != 0 ? options.partitions : std::min(workers, ranks));
  return analyze(source, trace_path, exact, carrier);
}

Result<AnalysisResult> analyze(trace::Source& source, const std::string& trace_path, const AnalyzeOptions& options,
                               Carrier& carrier) {
  AnalyzeOptions exact = options;
  if (exact.workers == 0) exact.workers = usable_cores();
  const DataQuality quality_before = source.quality();
  const auto marked = trace::with_intervals(source, options.intervals, shared_search(source, exact, carrier));
  if (!marked) {
    MORA_CHECK_OK(carrier.agree(tl::unexpected(marked.error())));
    return tl::unexpected(marked.error());
  }
  return run_engine(**marked, quality_before, trace_path, exact, carrier);
}

}  // namespace mora::analysis
