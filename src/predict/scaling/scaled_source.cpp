#include "predict/scaling/scaled_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "predict/pattern/check/check.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/scaling/call_fit.h"
#include "trace/links/completions.h"

namespace mora::predict {
namespace {

using trace::Event;
using trace::EventKind;

/// Numbers of vectors that the events of a rank refer to, each number of bytes and length once.
struct Vectors {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;  ///< bytes, length
  std::uint32_t number(std::uint64_t bytes, std::uint64_t length) {
    const auto [at, is_new] = numbers.try_emplace({bytes, length}, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.emplace_back(bytes, length);
    return at->second;
  }
};

/// One rank's events, from its first to its last.
class RankWalk {
 public:
  /// `problem`: not nullptr: rules that disagree are looked for; gets the first such value.
  RankWalk(const ScaledProgram& program, const std::vector<std::uint32_t>& first_comm, std::uint32_t rank, FitEnd end,
           Vectors& vectors, trace::EventSink& sink, Error* problem)
      : program_(program),
        first_comm_(first_comm),
        rank_(rank),
        end_(end),
        vectors_(vectors),
        sink_(sink),
        problem_(problem) {}

  /// Returns how often computation or a local call is not in the largest run.
  std::uint64_t walk() {
    iteration(0, {rank_, program_.ranks, 0, 0, 1});
    const std::uint32_t like = counterpart(program_.after.first.has_value());
    const Nanoseconds after = times(program_.after, static_cast<double>(program_.largest.by_rank[like].after));
    // Time passes only between events, so a program without regions gets one for what it computes at its end.
    if (after > 0 && open_regions_.empty())
      go_to({static_cast<trace::RegionId>(program_.sites.definitions.regions.size())});
    now_ += after;
    go_to({});
    return unrecorded_;
  }

 private:
  /// The rank of the largest run at the same relative place; rank 0 only of rank 0, if that is something else.
  std::uint32_t counterpart(bool first_apart) const {
    if (program_.ranks < 2) return 0;
    const auto like = static_cast<std::uint32_t>(
        std::llround(static_cast<double>(rank_) * (program_.largest.ranks - 1) / (program_.ranks - 1)));
    return first_apart && rank_ > 0 ? std::max(1U, like) : like;
  }
  /// The next recorded call of the stretch, of the nearest rank that has it; nullptr: the largest run has none.
  const RecordedCall* recorded(const Stretch& stretch) {
    if (stretch.recorded.empty()) {
      ++unrecorded_;
      return nullptr;
    }
    const bool first_apart = stretch.law.first.has_value();
    const auto begin = stretch.recorded.begin() +
                       (first_apart && rank_ > 0 && stretch.recorded.size() > 1 && stretch.recorded[0].first == 0);
    const std::uint32_t wanted = counterpart(first_apart);
    auto there = std::lower_bound(begin, stretch.recorded.end(), wanted,
                                  [](const auto& one, std::uint32_t rank) { return one.first < rank; });
    if (there == stretch.recorded.end() || (there != begin && wanted - std::prev(there)->first < there->first - wanted))
      --there;
    const std::vector<std::uint32_t>& calls = there->second;
    return &program_.largest.by_rank[there->first].calls[calls[executed_[&stretch]++ % calls.size()]];
  }
  Nanoseconds times(const RankTimeLaws& law, double recorded) const {
    return std::llround(std::min(recorded * law.of(rank_).factor[static_cast<int>(end_)], 9e17));
  }

  std::int64_t value(const FittedValue& of, const RankCase& at, std::uint32_t node, const char* what) {
    if (problem_ != nullptr && problem_->what.empty()) {
      if (const std::string words = of.contradiction(at); !words.empty())
        *problem_ = refused(first_path(program_.program, program_.sites, node), what, words).value();
    }
    const std::int64_t found = of.at(at, end_);
    return found == INT64_MIN ? 0 : found;
  }

  void iteration(std::uint32_t loop, const RankCase& at) {
    for (const std::uint32_t child : program_.program.nodes[loop].children) {
      const std::int64_t often = value(program_.nodes[child].times, at, child, "how often it is executed");
      if (program_.program.nodes[child].is_call()) {
        if (often > 0) call(child, at);
        continue;
      }
      for (std::int64_t k = 0; k < often; ++k)
        iteration(child,
                  {rank_, program_.ranks, static_cast<std::uint32_t>(k), at.number, static_cast<std::uint32_t>(often)});
    }
  }

  void emit(Event event) {
    event.time = now_;
    sink_.on_event(event);
  }
  void region(EventKind kind, trace::RegionId id) {
    Event event;
    event.kind = kind;
    event.region = id;
    emit(event);
  }
  /// Leaves and enters regions of the program.
  void go_to(const std::vector<trace::RegionId>& around) {
    const auto same = static_cast<std::size_t>(
        std::mismatch(open_regions_.begin(), open_regions_.end(), around.begin(), around.end()).first -
        open_regions_.begin());
    while (open_regions_.size() > same) {
      region(EventKind::leave, open_regions_.back());
      open_regions_.pop_back();
    }
    while (open_regions_.size() < around.size()) {
      open_regions_.push_back(around[open_regions_.size()]);
      region(EventKind::enter, open_regions_.back());
    }
  }

  void call(std::uint32_t node, const RankCase& at) {
    const ScaledNode& fitted = program_.nodes[node];
    const Sites::Site& site = program_.sites.sites[program_.program.nodes[node].site];
    // Two calls that never follow one another in the largest run have nothing between them.
    static const Stretch none;
    const auto stretch = fitted.before.find(site_before_);
    if (const RecordedCall* call = recorded(stretch == fitted.before.end() ? none : stretch->second))
      now_ += times(stretch->second.law, static_cast<double>(call->before));
    site_before_ = program_.program.nodes[node].site;
    Nanoseconds lasted = 0;
    if (const RecordedCall* call = site.is_local ? recorded(fitted.whole) : nullptr)
      lasted = times(fitted.whole.law, static_cast<double>(call->lasted));
    go_to(site.around);
    region(EventKind::enter, site.region);
    now_ += lasted;
    for (const ScaledPart& part : fitted.parts) move(part, at, node);
    complete(fitted.completion);
    region(EventKind::leave, site.region);
  }

  void move(const ScaledPart& part, const RankCase& at, std::uint32_t node) {
    const CommunicatorFamily& family = program_.families[part.family];
    if (value(part.present, at, node, "where there is a partner") == 0) return;
    RankCase member = at;
    const std::vector<std::uint32_t>* members = nullptr;
    if (family.is_self) {
      member.rank = 0;
      member.ranks = 1;
    } else {
      if (family.of_rank[rank_] == no_node) return;
      members = &family.members[family.of_rank[rank_]];
      member.rank = family.place[rank_];
      member.ranks = static_cast<std::uint32_t>(members->size());
    }
    const std::int64_t partner = value(part.partner, member, node, "partners");
    Event event;
    event.comm = first_comm_[part.family] + (family.is_self ? 0 : family.of_rank[rank_]);
    const std::uint32_t world = partner < 0 || partner >= member.ranks ? trace::no_id
                                : family.is_self                       ? rank_
                                                                       : (*members)[static_cast<std::size_t>(partner)];
    const auto number = [&](const FittedValue& of, const char* what) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value(of, of.by_member ? member : at, node, what)));
    };
    event.kind = part.kind;
    event.bytes = number(part.bytes, "bytes");
    if (part.collective != trace::Collective::none || part.kind == EventKind::collective_end) {
      event.collective = part.collective;
      event.root = world;
      event.received = number(part.received, "bytes");
      if (part.vector != 0) event.vector = vectors_.number(number(part.entry, "bytes"), part.vector * member.ranks);
      if (part.kind == EventKind::collective_end) {
        Event begin;
        begin.kind = EventKind::collective_begin;
        emit(begin);
        return emit(event);
      }
    } else {
      if (world == trace::no_id) return;
      event.peer = world;
      event.tag = static_cast<std::int32_t>(value(part.tag, part.tag.by_member ? member : at, node, "tags"));
    }
    if (trace::is_request_start(part.kind)) {
      event.request = ++requests_;
      if (part.completes) {
        open_.push_back({event.request, program_.program.nodes[node].site});
        begun_[event.request] = event;
      }
      if (part.kind == EventKind::receive_request) {
        Event post;
        post.kind = part.kind;
        post.request = event.request;
        return emit(post);
      }
    }
    emit(event);
  }

  void complete(const CompletionRule& rule) {
    const std::vector<std::size_t> which = completed_by(rule, open_);
    for (const std::size_t i : which) {
      const auto at = begun_.find(open_[i].request);
      Event event = at->second;
      begun_.erase(at);
      if (event.kind == EventKind::send_request) {
        event = {};
        event.kind = EventKind::send_complete;
        event.request = open_[i].request;
      } else {
        event.kind =
            event.kind == EventKind::receive_request ? EventKind::receive_complete : EventKind::collective_complete;
      }
      emit(event);
    }
    for (auto i = which.rbegin(); i != which.rend(); ++i) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(*i));
  }

  const ScaledProgram& program_;
  const std::vector<std::uint32_t>& first_comm_;
  const std::uint32_t rank_;
  const FitEnd end_;
  Vectors& vectors_;
  trace::EventSink& sink_;
  Error* const problem_;
  std::map<const Stretch*, std::uint64_t> executed_;
  std::uint32_t site_before_ = no_node;
  std::vector<trace::RegionId> open_regions_;
  std::vector<OpenRequest> open_;
  std::map<std::uint64_t, Event> begun_;
  std::uint64_t requests_ = 0, unrecorded_ = 0;
  Nanoseconds now_ = 0;
};

class ScaledSource final : public trace::Source {
 public:
  ScaledSource(std::shared_ptr<const ScaledProgram> program, FitEnd end)
      : program_(std::move(program)), end_(end), vectors_(program_->ranks) {
    const trace::Definitions& given = program_->sites.definitions;
    definitions_ = given;
    definitions_.regions.emplace_back().name = "computation";
    definitions_.world_size = program_->ranks;
    definitions_.nodes.push_back({"node0"});
    for (std::uint32_t rank = 0; rank < program_->ranks; ++rank) {
      trace::Location location;
      location.name = fmt::format("rank {}", rank);
      location.rank = rank;
      location.file_id = rank;
      definitions_.locations.push_back(location);
    }
    trace::Communicator world;
    world.name = "MPI_COMM_WORLD";
    for (std::uint32_t rank = 0; rank < program_->ranks; ++rank) world.members.push_back(rank);
    // The first communicator of all ranks is the world; programs and formats name it in their ways.
    bool has_world = false;
    definitions_.communicators.push_back(world);
    for (const CommunicatorFamily& family : program_->families) {
      if (!has_world && family.members.size() == 1 && family.members[0] == world.members) {
        has_world = true;
        definitions_.communicators[0].name = family.name;
        first_comm_.push_back(0);
        continue;
      }
      first_comm_.push_back(static_cast<std::uint32_t>(definitions_.communicators.size()));
      trace::Communicator communicator;
      communicator.name = family.name;
      communicator.self = family.is_self;
      if (family.is_self) definitions_.communicators.push_back(communicator);
      for (const auto& members : family.members) {
        if (family.members.size() > 1)
          communicator.name =
              fmt::format("{} ({})", family.name, definitions_.communicators.size() - first_comm_.back());
        communicator.members = members;
        definitions_.communicators.push_back(communicator);
      }
    }
    definitions_.index_ranks();
    quality_.merge(program_->quality);
  }

  const trace::Definitions& definitions() const override { return definitions_; }
  Result<void> read_location(trace::LocationId location, trace::EventSink& sink) override {
    read(location, sink, nullptr);
    return {};
  }
  std::uint64_t read(trace::LocationId location, trace::EventSink& sink, Error* problem) {
    return RankWalk(*program_, first_comm_, location, end_, vectors_[location], sink, problem).walk();
  }
  std::uint64_t event_count_hint(trace::LocationId) const override { return 0; }
  Nanoseconds duration_hint() const override { return 0; }
  DataQuality& quality() override { return quality_; }
  std::vector<std::uint64_t> vector(trace::LocationId location, std::uint32_t index) const override {
    const auto& all = vectors_[location].all;
    if (index >= all.size()) return {};
    return std::vector<std::uint64_t>(all[index].second, all[index].first);
  }
  std::string format() const override { return "scaled from several runs"; }

 private:
  const std::shared_ptr<const ScaledProgram> program_;
  const FitEnd end_;
  std::vector<Vectors> vectors_;
  trace::Definitions definitions_;
  std::vector<std::uint32_t> first_comm_;  ///< by family
  DataQuality quality_;
};

}  // namespace

std::unique_ptr<trace::Source> scaled_source(std::shared_ptr<const ScaledProgram> program, FitEnd end) {
  return std::make_unique<ScaledSource>(std::move(program), end);
}

Result<std::uint64_t> check_scaled(const std::shared_ptr<const ScaledProgram>& program,
                                   const ProgressCallback& progress) {
  ScaledSource source(program, FitEnd::value);
  trace::NullSink nothing;
  std::uint64_t unrecorded = 0;
  Progress checking(progress, "checking all ranks", program->ranks);
  for (std::uint32_t rank = 0; rank < program->ranks; ++rank) {
    Error problem;
    unrecorded += source.read(rank, nothing, &problem);
    checking.advance(1);
    if (!problem.what.empty()) return tl::unexpected(std::move(problem));
  }
  MORA_TRY(PatternTrace pattern, pattern_of_trace(source));
  // What is not there behind the end is not missing, also without MPI_Finalize.
  for (RankTrace& rank : pattern.ranks) rank.complete = true;
  const std::vector<Disagreement> disagreements = check_pattern(pattern);
  if (disagreements.empty()) return unrecorded;
  return fail(ErrorKind::unreadable, "the runs do not say what another number of ranks does",
              fmt::format("rank {} of {}", disagreements.front().rank, program->ranks),
              fmt::format("what the laws give its ranks does not fit together: {}", disagreements.front().text),
              "record the program with more numbers of ranks");
}

}  // namespace mora::predict
