/// One pass over the ranks. What a call moves is added to the matrices of the phase in which it was made, times the
/// number of its executions (walk.h). Sends and one-sided calls count as they are; receives are only compared
/// with the sends at the end. Cost: linear in the folded trace, not in the number of calls, and in the messages of
/// distinct collective calls; memory: the non-empty cells (MatrixOptions::most_cells).
#include "predict/pattern/matrix/matrix.h"

#include <algorithm>
#include <array>
#include <memory>

#include "predict/pattern/matrix/fill.h"
#include "predict/pattern/matrix/walk.h"

namespace mora::predict {
namespace {

constexpr std::array model_names{"linear", "algorithms", "openmpi", "mpich", "none", "payload"};
constexpr std::string_view former_payload_name = "seed";  ///< still accepted
constexpr std::size_t rows_told = 20;

class MatrixMaker {
 public:
  MatrixMaker(const PatternTrace& trace, const MatrixOptions& options)
      : trace_(trace),
        options_(options),
        collectives_(trace, options.collectives),
        received_(trace.definitions.world_size),
        unknown_sources_(trace.definitions.world_size) {
    phase(0);
  }

  Result<PatternMatrix> run() {
    for (const RankTrace& rank : trace_.ranks) {
      add(rank);
      std::uint64_t cells = 0;
      bool overflowed = false;
      for (const auto& p : phases_) {
        cells += p->point_to_point.cells() + p->collective.cells() + p->one_sided.cells();
        overflowed |= p->overflowed();
      }
      if (overflowed || cells / 2 > options_.most_cells)
        return fail(ErrorKind::usage, "the matrix has more than " + std::to_string(options_.most_cells) + " cells", "",
                    "more pairs of ranks exchange messages with this breakdown of collectives",
                    "take another breakdown with --collectives: none has no such cells");
    }
    return finish();
  }

 private:
  PhaseFill& phase(std::uint32_t path) {
    if (path >= phases_.size()) phases_.resize(path + 1);
    if (phases_[path] == nullptr)
      phases_[path] = std::make_unique<PhaseFill>(trace_.definitions.world_size, options_.most_cells);
    return *phases_[path];
  }

  const Communicator* communicator(const Call& call) const {
    const auto& all = trace_.definitions.communicators;
    return call.communicator < all.size() ? &all[call.communicator] : nullptr;
  }

  /// World rank of a peer; counts what cannot be translated.
  std::uint32_t translate(const RankTrace& rank, const Call& call, std::int32_t peer, std::uint64_t times) {
    if (peer < 0) return no_id;
    const Communicator* comm = communicator(call);
    const auto world = comm == nullptr ? no_id : world_rank(*comm, rank.rank, peer);
    if (world == no_id || world >= trace_.definitions.world_size) {
      peers_outside_ += times;
      return no_id;
    }
    return world;
  }

  void add(const RankTrace& rank) {
    const auto known = paths_.size();
    const auto counts = count_calls(rank, paths_);
    for (std::uint32_t path = known; path < paths_.size(); ++path) phase(path);
    for (const auto& [path, call, times] : counts.calls) add(rank, rank.calls[call], times, phase(path));
    for (const auto& [call, source, bytes, times] : counts.receives) {
      if (posted_count()) break;
      const auto from = translate(rank, rank.calls[call], source, times);
      if (from != no_id) received_.add(from, rank.rank, times, bytes * times);
    }
    if (&rank == &trace_.ranks.front()) {
      for (const auto& [path, visits] : counts.visits) phase(path).visits = visits;
      visits_ = counts.visits;
    } else if (counts.visits != visits_) {
      ++other_visits_;
    }
    unknown_completions_ += counts.unknown_completions;
    if (counts.unknown_completions > 0 && rank.rank < unknown_sources_.size()) unknown_sources_[rank.rank] = true;
    cancelled_sends_ += counts.cancelled_sends;
    ends_without_begin_ += counts.ends_without_begin;
    crossings_ += counts.crossings;
    open_phases_ += counts.open_phases;
    incomplete_ += rank.complete ? 0 : 1;
  }

  void send(const RankTrace& rank, const Call& call, std::uint64_t times, PhaseFill& phase) {
    const auto to = translate(rank, call, call.peer, times);
    if (to == no_id) return;
    const auto bytes = bytes_of(call.sent, trace_.definitions);
    phase.point_to_point.add(rank.rank, to, times, bytes * times);
    phase.sizes[bytes] += times;
  }

  void receive(const RankTrace& rank, const Call& call, std::int32_t source, std::uint64_t times) {
    // In a dry run the source of a message for MPI_ANY_SOURCE is assumed.
    if (source == peer_any || (call.posted_any_source && trace_.definitions.origin == Origin::dryrun)) {
      if (rank.rank < unknown_sources_.size()) unknown_sources_[rank.rank] = true;
      return;
    }
    const auto from = translate(rank, call, source, times);
    if (from != no_id) received_.add(from, rank.rank, times, call.bytes_received * times);
  }

  void one_sided(const RankTrace& rank, const Call& call, std::uint64_t times, PhaseFill& phase) {
    const auto target = translate(rank, call, call.peer, times);
    if (target == no_id || !options_.one_sided) return;
    const auto& d = trace_.definitions;
    const auto move = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
      if (bytes == 0) return;
      phase.one_sided.add(from, to, times, bytes * times);
      phase.sizes[bytes] += times;
    };
    const auto sent = bytes_of(call.sent, d), received = bytes_of(call.received, d);
    switch (mpi::function(call.operation).flow) {
      case mpi::Flow::in:
        move(target, rank.rank, received > 0 ? received : sent);
        break;
      case mpi::Flow::out:
        move(rank.rank, target, sent > 0 ? sent : received);
        break;
      default:  // fetching ones: operands go, old values come
        move(rank.rank, target, sent);
        move(target, rank.rank, received);
    }
  }

  /// Receives that were only posted stand in traces without completions.
  bool posted_count() const {
    return trace_.definitions.origin == Origin::text || trace_.definitions.origin == Origin::dryrun;
  }

  void add(const RankTrace& rank, const Call& call, std::uint64_t times, PhaseFill& phase) {
    phase.calls[call.operation] += times;
    switch (info(call.operation).kind) {
      case OperationClass::send:
        send(rank, call, times, phase);
        break;
      case OperationClass::receive:
        if (!starts_request(call.operation) || posted_count()) receive(rank, call, call.peer, times);
        break;
      case OperationClass::sendrecv:
        send(rank, call, times, phase);
        receive(rank, call, call.peer2, times);
        break;
      case OperationClass::rooted:
      case OperationClass::rootless:
      case OperationClass::neighborhood:
        collectives_.add(rank, call, times, phase);
        break;
      case OperationClass::one_sided:
        one_sided(rank, call, times, phase);
        break;
      default:
        if (call.operation == Operation::start_collective) collectives_.add_unknown(times);
    }
  }

  PhaseTraffic traffic_of(PhaseFill& fill, std::string name) {
    PhaseTraffic t;
    t.name = std::move(name);
    t.visits = fill.visits;
    t.point_to_point = fill.point_to_point.finish();
    t.collective = fill.collective.finish();
    t.one_sided = fill.one_sided.finish();
    t.ranks = sum(sum(t.point_to_point, t.collective), t.one_sided);
    t.payload_volume = fill.payload_volume;
    t.sizes = std::move(fill.sizes);
    for (const auto& [operation, use] : fill.collective_use)
      t.collective_use[std::string(info(operation).mpi_name)] += use;
    for (const auto& [operation, times] : fill.calls) t.calls[std::string(info(operation).mpi_name)] += times;
    return t;
  }

  Result<PatternMatrix> finish() {
    PatternMatrix matrix;
    matrix.world_size = trace_.definitions.world_size;
    matrix.quality = trace_.quality;
    PhaseTraffic& total = matrix.total;
    total.name = "total";
    total.visits = 1;
    total.ranks.size = total.point_to_point.size = total.collective.size = total.one_sided.size = matrix.world_size;
    for (std::uint32_t path = 0; path < paths_.size(); ++path) {
      matrix.phases.push_back(traffic_of(phase(path), paths_.name(path, trace_.definitions)));
      const PhaseTraffic& p = matrix.phases.back();
      total.ranks = sum(total.ranks, p.ranks);
      total.point_to_point = sum(total.point_to_point, p.point_to_point);
      total.collective = sum(total.collective, p.collective);
      total.one_sided = sum(total.one_sided, p.one_sided);
      total.payload_volume += p.payload_volume;
      for (const auto& [bytes, messages] : p.sizes) total.sizes[bytes] += messages;
      for (const auto& [name, times] : p.calls) total.calls[name] += times;
      for (const auto& [name, use] : p.collective_use) total.collective_use[name] += use;
    }
    matrix.phases[0].visits = 1;
    matrix.collectives = collectives_.finish(matrix.quality);
    compare(total.point_to_point, received_.finish(), matrix.quality);
    tell(matrix.quality);
    return matrix;
  }

  /// Sent must be received, as far as both ends are in the trace.
  void compare(const TrafficMatrix& sent, const TrafficMatrix& received, DataQuality& quality) const {
    std::vector<bool> here(trace_.definitions.world_size);
    for (const RankTrace& rank : trace_.ranks)
      if (rank.rank < here.size()) here[rank.rank] = true;
    const bool bytes_known = !posted_count();
    std::uint64_t more = 0;
    const auto pair = [&](std::uint32_t from, std::uint32_t to, const Traffic& s, const Traffic& r) {
      if (!here[from] || !here[to]) return;
      if (s.messages == r.messages && (s.bytes == r.bytes || !bytes_known)) return;
      if (unknown_sources_[to] && s.messages >= r.messages) return;
      const bool messages = s.messages != r.messages;
      if (++more > rows_told) return;
      const auto text =
          messages
              ? "messages differ: " + std::to_string(s.messages) + " sent, " + std::to_string(r.messages) + " received"
              : "bytes differ: " + std::to_string(s.bytes) + " sent, " + std::to_string(r.bytes) + " received";
      const auto a = messages ? s.messages : s.bytes, b = messages ? r.messages : r.bytes;
      quality.add(
          "sent-not-received", Severity::warning, "rank " + std::to_string(from) + " to " + std::to_string(to),
          a > b ? a - b : b - a, text,
          "the matrix counts what was sent; look for a killed program or for receives that were never completed");
    };
    auto i = sent.cells.begin(), j = received.cells.begin();
    while (i != sent.cells.end() || j != received.cells.end()) {
      const bool only_sent =
          j == received.cells.end() || (i != sent.cells.end() && std::pair(i->from, i->to) < std::pair(j->from, j->to));
      const bool only_received =
          !only_sent && (i == sent.cells.end() || std::pair(j->from, j->to) < std::pair(i->from, i->to));
      if (only_received) {
        pair(j->from, j->to, {}, j->traffic);
      } else {
        pair(i->from, i->to, i->traffic, only_sent ? Traffic{} : j->traffic);
      }
      if (!only_received) ++i;
      if (!only_sent) ++j;
    }
    if (more > rows_told)
      quality.add("sent-not-received", Severity::warning, "other pairs", more - rows_told,
                  "more pairs of ranks whose sends and receives differ", "");
  }

  void tell(DataQuality& quality) const {
    const auto row = quality.at("");
    const auto missing =
        trace_.definitions.world_size - std::min<std::size_t>(trace_.ranks.size(), trace_.definitions.world_size);
    row("ranks-missing", Severity::loss, missing,
        "ranks are not in the trace: what they send is not in the matrix; collective calls are completed from the "
        "ranks that are there",
        "record, or dry-run, all of them");
    row("incomplete-rank", Severity::loss, incomplete_,
        "ranks did not reach MPI_Finalize: their later calls are missing",
        "record again, unless the program was killed on purpose");
    row("peer-unknown", Severity::warning, peers_outside_,
        "messages to or from ranks that cannot be translated to MPI_COMM_WORLD are not in the matrix",
        "record with mora pattern record");
    row("completion-unknown", Severity::info, unknown_completions_,
        "completed requests whose start is not known: they are not compared with what was sent",
        "keep recording on from MPI_Init on");
    row("cancelled-send", Severity::warning, cancelled_sends_, "sends that were cancelled count as sent", "");
    row("phase-end-without-begin", Severity::warning, ends_without_begin_,
        "phases ended that had not begun; the end is ignored", "begin each phase before its end");
    row("phase-crossing", Severity::warning, crossings_,
        "phases were open when the enclosing one ended: they end there", "end the inner phase first");
    row("phase-open", Severity::warning, open_phases_, "phases were not ended: they go to the end of the trace",
        "end each phase before MPI_Finalize");
    row("phase-visits-differ", Severity::warning, other_visits_,
        "ranks entered other phases, or more or less often, than the first rank",
        "call phase begin and end on every process");
    if (!trace_.definitions.exact_vectors)
      row("vectors-by-statistics", Severity::warning, 1,
          "the trace holds minimum, median and maximum of vector calls only: their messages are an estimate",
          "use the trace.mpt of the recording");
  }

  const PatternTrace& trace_;
  MatrixOptions options_;
  PhasePaths paths_;
  std::vector<std::unique_ptr<PhaseFill>> phases_;
  CollectiveFill collectives_;
  TrafficRows received_;
  std::vector<bool> unknown_sources_;  ///< by rank: it received from an unknown rank
  std::map<std::uint32_t, std::uint64_t> visits_;
  std::uint64_t other_visits_ = 0, peers_outside_ = 0, unknown_completions_ = 0, cancelled_sends_ = 0,
                ends_without_begin_ = 0, crossings_ = 0, open_phases_ = 0, incomplete_ = 0;
};

}  // namespace

Result<CollectiveModel> parse_collective_model(const std::string& name) {
  if (name == former_payload_name) return CollectiveModel::payload;
  for (std::size_t i = 0; i < model_names.size(); ++i)
    if (name == model_names[i]) return static_cast<CollectiveModel>(i);
  return fail(ErrorKind::usage, "there is no model of collectives '" + name + "'", "--collectives", "",
              "use linear, algorithms, openmpi, mpich, none or payload");
}

CollectiveModel recorded_model(const Definitions& definitions) {
  if (definitions.mpi.starts_with("Open MPI")) return CollectiveModel::openmpi;
  return definitions.mpi.starts_with("MPICH") ? CollectiveModel::mpich : CollectiveModel::linear;
}

const char* to_string(CollectiveModel model) { return model_names[static_cast<std::size_t>(model)]; }

Result<PatternMatrix> make_matrix(const PatternTrace& trace, const MatrixOptions& options) {
  return MatrixMaker(trace, options).run();
}

}  // namespace mora::predict
