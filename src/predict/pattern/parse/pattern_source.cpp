// Each different call of a rank becomes its steps once; the order of the calls then selects them. Only text/write.cpp
// knows what a call is in text: it is given a rank whose order is its different calls, each followed by a phase that no
// program has, and writes it as text records. Cost: linear in the different calls, then one look-up for each call.
#include <atomic>

#include "base/worker_pool.h"
#include "predict/pattern/parse/source.h"
#include "predict/pattern/text/text_trace.h"

namespace mora::predict {
namespace {

constexpr std::string_view border_name = "\x01 border";

class PatternStepSource : public StepSource {
 public:
  explicit PatternStepSource(std::shared_ptr<const PatternTrace> trace) : trace_(std::move(trace)) {
    PatternTrace single;
    single.definitions = trace_->definitions;
    const auto border = static_cast<std::uint32_t>(single.definitions.phases.size());
    single.definitions.phases.emplace_back(border_name);
    for (std::size_t i = 0; i < trace_->ranks.size(); ++i)
      streams_.emplace_back(trace_->ranks[i].order, NameCache(names_));
    for (const auto& rank : trace_->ranks) total_ += rank.order.size();
    run_tasks(streams_.size(), 0, [&](std::size_t i) { prepare(single, border, i); });
  }

  std::size_t streams() const override { return streams_.size(); }
  std::uint32_t rank(std::size_t stream) const override { return trace_->ranks[stream].rank; }
  std::uint32_t world_size() const override { return trace_->definitions.world_size; }
  Names& names() override { return names_; }

  std::pair<std::uint64_t, std::uint64_t> progress() const override { return {done_, total_}; }

  void rewind() override {
    done_ = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      streams_[i].cursor = trace_->ranks[i].order.cursor();
      std::fill(streams_[i].ids.begin(), streams_[i].ids.end(), 0);
    }
  }

  Result<void> read(std::size_t index, std::size_t limit, std::vector<Step>& steps) override {
    auto& stream = streams_[index];
    const std::size_t end = steps.size() + limit;
    std::uint32_t call = 0;
    std::uint64_t calls = 0;
    while (steps.size() < end && stream.cursor.next(call)) {
      ++calls;
      for (std::uint32_t i = stream.first[call]; i < stream.first[call + 1]; ++i) {
        Step& step = steps.emplace_back(stream.steps[i]);
        if (step.kind == StepKind::rootless) step.id = ++stream.ids[step.name];
      }
    }
    done_ += calls;
    return {};
  }

  std::vector<KnownCommunicator> known() const override {
    std::vector<KnownCommunicator> all;
    for (const auto& c : trace_->definitions.communicators)
      if (!c.members.empty()) all.push_back({c.name, c.members, c.remote});
    return all;
  }

  void report(DataQuality& quality) const override {
    quality.merge(trace_->quality);
    quality.merge(quality_);
    const std::uint64_t missing =
        trace_->definitions.world_size - std::min<std::uint64_t>(trace_->definitions.world_size, streams_.size());
    quality.add("pattern-rank-missing", Severity::info, {}, missing,
                "the trace holds only some of the processes: the calls of the others are not in the output",
                "make a dry run of all ranks: --ranks all");
  }

 private:
  struct Stream {
    Sequence::Cursor cursor;
    NameCache names;
    std::vector<Step> steps = {};
    std::vector<std::uint32_t> first = {};  ///< of each different call, and one more
    std::vector<std::int64_t> ids = {};     ///< of each name: rootless collectives so far
    Stream(const Sequence& order, NameCache n) : cursor(order), names(std::move(n)) {}
  };

  void prepare(const PatternTrace& single, std::uint32_t border, std::size_t index) {
    const RankTrace& original = trace_->ranks[index];
    Stream& stream = streams_[index];
    RankTrace rank;
    rank.rank = original.rank;
    rank.calls = original.calls;
    rank.vectors = original.vectors;
    Call mark;
    mark.operation = Operation::phase_begin;
    mark.argument = border;
    const auto marks = static_cast<std::uint32_t>(rank.calls.size());
    rank.calls.push_back(mark);
    for (std::uint32_t call = 0; call < marks; ++call) {
      rank.order.items.push_back({call, false, 1});
      rank.order.items.push_back({marks, false, 1});
    }
    stream.first.push_back(0);
    std::uint64_t unknown = 0;
    DataQuality ignored;  // once per different call: check_pattern counts them
    to_text_records(
        single, rank,
        [&](const TextRecord& record) {
          if (record.category == RecordCategory::phase_start && record.name == border_name) {
            stream.first.push_back(static_cast<std::uint32_t>(stream.steps.size()));
            return;
          }
          Step step;
          if (!to_step(record, rank.rank, stream.names, step)) ++unknown;
          stream.steps.push_back(step);
        },
        ignored);
    stream.first.resize(marks + std::size_t{1}, static_cast<std::uint32_t>(stream.steps.size()));
    std::uint32_t most = 0;
    for (const Step& step : stream.steps) most = std::max(most, step.name);
    stream.ids.assign(most + std::size_t{1}, 0);
    quality_.add("pattern-bad-line", Severity::loss, {}, unknown,
                 "calls whose number of bytes is too large were left out", {});
  }

  std::shared_ptr<const PatternTrace> trace_;
  Names names_;
  std::vector<Stream> streams_;
  DataQuality quality_;
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t total_ = 0;
};

}  // namespace

std::unique_ptr<StepSource> pattern_step_source(std::shared_ptr<const PatternTrace> trace) {
  return std::make_unique<PatternStepSource>(std::move(trace));
}

}  // namespace mora::predict
