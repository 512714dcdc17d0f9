// Round robin (Kotomatas 2018, 4.3.2): one record of each process in turn. Processes that come to the begin or end of a
// phase wait there. The records are read ahead by all cores, a part of every stream at a time; one thread writes the
// output, so that the order is always the same. Cost: linear in the records (twice if ranks are missing); memory: the
// records that are read ahead, and the collectives that lack records.
#include "predict/pattern/parse/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/worker_pool.h"
#include "predict/pattern/parse/phases.h"

namespace mora::predict {
namespace {

constexpr std::size_t steps_ahead = std::size_t{1} << 17;  ///< of all streams together

/// The records of one process that were read ahead.
struct Lane {
  std::vector<Step> steps;
  std::size_t at = 0;
  bool ended = false;  ///< the stream has no more
  bool finalized = false;
};

class OutputLine {
 public:
  OutputLine& operator<<(std::string_view text) {
    text_.append(text);
    return *this;
  }
  OutputLine& operator<<(std::int64_t number) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    text_.append(digits, end);
    return *this;
  }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Engine {
 public:
  Engine(StepSource& source, ParseFiles& files, const ParseOptions& options, ParseResult& result,
         const ProgressCallback& progress)
      : source_(source),
        files_(files),
        options_(options),
        result_(result),
        communicators_(source, result),
        phases_(source, source.names(), files, result),
        lanes_(source.streams()),
        limit_(std::clamp<std::size_t>(steps_ahead / std::max<std::size_t>(source.streams(), 1), 16, 8192)),
        progress_(progress, "reading records", source.progress().second) {}

  Result<void> run() {
    result_.world_size = source_.world_size();
    MORA_CHECK_OK(communicators_.count_present());
    auto& places = phases_.places();
    std::vector<std::size_t> active(lanes_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) ranks_.push_back(source_.rank(i));
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    do {
      while (!active.empty()) {
        std::size_t kept = 0;
        for (const std::size_t stream : active) {
          Lane& lane = lanes_[stream];
          if (lane.at == lane.steps.size() && !lane.ended) MORA_CHECK_OK(refill());
          if (lane.at == lane.steps.size()) {
            places[stream].ended = true;
            continue;
          }
          const Step& step = lane.steps[lane.at++];
          if (step.kind == StepKind::phase_start || step.kind == StepKind::phase_end) {
            ++result_.records_read;
            places[stream].waits = true;
            places[stream].starts = step.kind == StepKind::phase_start;
            places[stream].marker = step.name;
            continue;
          }
          take(stream, places[stream].node, lane, step);
          active[kept++] = stream;
        }
        active.resize(kept);
      }
    } while (phases_.cross(
        [&](std::size_t stream, bool starts, std::uint32_t name) { return reaches(stream, starts, name); },
        [&](std::size_t stream) { active.push_back(stream); }));
    communicators_.finish_collectives(
        [&](std::uint32_t name, const PendingCollective& pending) { write_collective(name, pending); });
    phases_.finish();
    communicators_.finish();
    finish();
    return {};
  }

 private:
  /// True if the process comes to that border within the records that are read ahead.
  bool reaches(std::size_t stream, bool starts, std::uint32_t name) const {
    const Lane& lane = lanes_[stream];
    const auto kind = starts ? StepKind::phase_start : StepKind::phase_end;
    return std::any_of(lane.steps.begin() + static_cast<std::ptrdiff_t>(lane.at), lane.steps.end(),
                       [&](const Step& step) { return step.kind == kind && step.name == name; });
  }

  /// Reads ahead for all streams that have less than half of their share left, several at a time.
  Result<void> refill() {
    std::vector<std::size_t> low;
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      if (!lanes_[i].ended && lanes_[i].steps.size() - lanes_[i].at < limit_ / 2) low.push_back(i);
    std::vector<std::optional<Error>> errors(low.size());
    run_tasks(low.size(), options_.workers, [&](std::size_t i) {
      Lane& lane = lanes_[low[i]];
      lane.steps.erase(lane.steps.begin(), lane.steps.begin() + static_cast<std::ptrdiff_t>(lane.at));
      lane.at = 0;
      const std::size_t before = lane.steps.size();
      const auto done = source_.read(low[i], limit_ - before, lane.steps);
      if (!done) errors[i] = done.error();
      lane.ended = lane.steps.size() == before;
    });
    for (const auto& error : errors)
      if (error) return tl::unexpected(*error);
    const std::uint64_t consumed = source_.progress().first;
    if (consumed > reported_) progress_.advance(consumed - reported_);
    reported_ = std::max(reported_, consumed);
    return {};
  }

  /// One record into the output of the phase `node`, or counted as ignored.
  void take(std::size_t stream, std::uint32_t node, Lane& lane, const Step& step) {
    ++result_.records_read;
    switch (step.kind) {
      case StepKind::message:
        return message(stream, node, step);
      case StepKind::one_sided:
        line_.clear();
        line_ << "(" << info(step.operation).spelling << " " << ranks_[stream] << " " << step.peer << " " << step.max
              << communicators_.state(step.name).tail[step.contiguous];
        return write(node);
      case StepKind::rooted: {
        auto& communicator = communicators_.state(step.name);
        ++communicator.rooted;
        if (!step.is_root) break;
        ++communicator.roots;
        line_.clear();
        line_ << "(" << info(step.operation).spelling << " " << step.peer << " ";
        amount(step.vector, step.min, step.median_twice, step.max);
        line_ << communicator.tail[step.contiguous];
        return write(node);
      }
      case StepKind::rootless:
        if (const auto* whole = communicators_.add_collective(ranks_[stream], node, step))
          write_collective(step.name, *whole);
        return;
      case StepKind::receive: {
        auto& communicator = communicators_.state(step.name);
        ++(step.peer < 0 ? communicator.vague : communicator.receives);
        break;
      }
      case StepKind::member:
        communicators_.add_member(ranks_[stream], step);
        break;
      case StepKind::finalize:
        lane.finalized = true;
        break;
      default:
        break;
    }
    ++result_.ignored;
  }

  void message(std::size_t stream, std::uint32_t node, const Step& step) {
    if (step.peer < 0) {
      ++result_.to_nobody;
      return;
    }
    auto& communicator = communicators_.state(step.name);
    ++communicator.sends;
    if (communicator.size > 0 && static_cast<std::uint64_t>(step.peer) >= communicator.size)
      result_.quality.add("pattern-peer-outside", Severity::warning, source_.names().text(step.name), 1,
                          "messages to ranks that the communicator does not have",
                          "the traces are not of one run, or were altered");
    line_.clear();
    line_ << "(" << ranks_[stream] << " " << step.peer << " " << step.max << communicator.tail[step.contiguous];
    auto& phase = result_.phases[node];
    ++phase.messages;
    phase.bytes += static_cast<std::uint64_t>(step.max);
    write(node);
  }

  /// Bytes of one message; of vector calls min/median/max, the median with its half.
  void amount(bool vector, std::int64_t min, std::int64_t median_twice, std::int64_t max) {
    if (vector) line_ << min << "/" << median_twice / 2 << (median_twice % 2 == 0 ? ".0/" : ".5/");
    line_ << max;
  }

  void write_collective(std::uint32_t name, const PendingCollective& whole) {
    line_.clear();
    line_ << "(" << info(whole.operation).spelling << " ";
    amount(whole.vector, whole.min, whole.median_twice, whole.max);
    line_ << communicators_.state(name).tail[whole.contiguous];
    write(whole.node);
  }

  void write(std::uint32_t node) {
    files_.line(phases_.file(node), line_.text());
    ++result_.records_written;
    ++result_.phases[node].written;
    if (options_.records) keep(node);
  }

  /// Counts the line among the different ones of its phase.
  void keep(std::uint32_t node) {
    if (node >= known_.size()) known_.resize(node + std::size_t{1});
    auto& list = result_.phases[node].records;
    const auto [at, added] = known_[node].try_emplace(line_.text(), list.size());
    if (added) list.emplace_back(line_.text().substr(0, line_.text().size() - 1), 0);
    ++list[at->second].second;
  }

  void finish() {
    std::uint64_t open = 0;
    for (const Lane& lane : lanes_) open += lane.finalized ? 0 : 1;
    result_.quality.add("pattern-no-finalize", Severity::warning, {}, open,
                        "traces end without finalize: what came after is not known",
                        "the program was killed, or the files were cut");
    result_.quality.add(
        "pattern-phases-differ", Severity::loss, {}, result_.violation_count,
        result_.violations.empty() ? std::string() : "phases are not the same on all ranks: " + result_.violations[0],
        "call phase begin and end on every process, in the same order");
    source_.report(result_.quality);
    result_.bytes_read = source_.bytes();
  }

  StepSource& source_;
  ParseFiles& files_;
  const ParseOptions& options_;
  ParseResult& result_;
  ParseCommunicators communicators_;
  ParsePhases phases_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> ranks_;
  std::size_t limit_;
  Progress progress_;
  std::uint64_t reported_ = 0;
  OutputLine line_;
  std::vector<std::unordered_map<std::string, std::size_t>> known_;
};

}  // namespace

Result<void> parse_steps(StepSource& source, ParseFiles& files, const ParseOptions& options, ParseResult& result,
                         const ProgressCallback& progress) {
  return Engine(source, files, options, result, progress).run();
}

std::string communicators_text(const ParseResult& result) {
  std::string text;
  for (const auto& communicator : result.communicators) {
    const char* quote = communicator.made ? "'" : "";
    text += communicator.name + " {'members': [";
    for (std::size_t i = 0; i < communicator.members.size(); ++i)
      text += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", quote, communicator.members[i], quote);
    text += fmt::format("], 'size': {}}}\n", communicator.size);
  }
  return text;
}

}  // namespace mora::predict
