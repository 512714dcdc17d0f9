// A rank's calls as lines of a text trace: MinI's lines (Kotomatas 2018, 3.3.1 to 3.3.3), and lines for calls that MinI
// does not know. Cost: each distinct call is formatted once, then copied.
//
// MinI's lines (R: world rank; S: element size; T: code of Table 3.2; peers and roots: ranks of the communicator; TAIL:
// on comm NAME):
//
//   R init 1 | R finalize | R wait | R waitall | R Waitany | Tested F. | R barrier TAIL
//   point to point, PEER of receives is the source:
//     R OP PEER COUNT (of S bytes) T TAIL
//   rooted, LOCAL outside of MPI_COMM_WORLD is the own rank there:
//     R OP COUNT (of S bytes) ROOT of type T TAIL [LOCAL]
//     R OP min=A median=B.000000 max=C (of S bytes) ROOT of types T1, T2 TAIL [LOCAL]
//   rootless, ID from 1 for each communicator:
//     R OP COUNT (of S bytes) of type T TAIL ID
//     R OP min=A median=B.500000 max=C (of S bytes) of type T TAIL ID
//     R allGather COUNT (of S bytes) of type T RC (of RS bytes) TAIL ID
//   R Comm split. color=C, key=K.New comm NAME of size N
//   R Comm split invoked by process but with color=MPI_UNDEFINED | R Comm NAME free.
//   Phase NAME start. | Phase NAME end.
//
// Mora's extensions keep these shapes, under MPI's names (docs/formats/ti-trace.md; read.cpp reads them):
//
//   * Other point-to-point calls: R Issend …, R Mrecv …, R Sendrecv_replace(s) …, R Sendrecv_replace(r) …; a started
//     persistent operation is R Isend or R Irecv. One-sided calls have the same shape: PEER is the target in the
//     window's communicator (R Put 1 10 (of 8 bytes) 0 on comm MPI_COMM_WORLD).
//   * Non-blocking collectives have the shape of their blocking form (R Ibcast …, R Iallgather … with the extra group);
//     R Ibarrier on comm NAME. Scatter, Scatterv, Scan, Exscan, Reduce_scatter_block, Alltoallw (elements are bytes:
//     of 1 bytes, type 6) likewise.
//   * Neighbourhood collectives have the rootless shapes and take their ID from the communicator's same counter; the
//     statistics are over neighbours.
//   * Window calls have the barrier's shape: R Win_fence on comm NAME. Files: R File_write COUNT (of S bytes) of type T
//     on comm NAME (no id); R File_open on comm NAME, R File_close on comm NAME.
//   * Other completions: R Waitsome, R Testall, R Testany, R Testsome (only those that completed; the flag of Tested is
//     1).
//   * Other communicators: R Comm WORD. color=C, key=K.New comm NAME of size N, where WORD is the MPI name without
//     Comm_ (dup, create, split_type, Cart_create, Intercomm_merge, …). C is the colour in NAME, K the own rank in the
//     new communicator, so that the order (key, rank) is the order of members in every case. Of an inter-communicator C
//     is 0 or 1, the side of R, K the rank on that side, and N counts both sides. MPI_COMM_NULL: Comm WORD invoked by
//     process but with color=MPI_UNDEFINED.
//   * Nothing is written for peers that are MPI_PROC_NULL (nothing moves, and readers of the format count every line),
//     for receives whose source never became known, for the sides of an inter-communicator's rooted call
//     that are not MPI_ROOT, and for calls without a place in the grammar (probes, MPI_Cancel, MPI_Request_free, the
//     _init calls, datatypes, groups).
//
// Statistics of vector calls: Gatherv, Allgatherv, Reduce_scatter over recvcounts; Alltoallv, Scatterv over sendcounts;
// S is the send type's size, for Gatherv the receive type's. Where the counts are not significant (Gatherv away from
// the root) they are over the one count that the process has. With MPI_IN_PLACE the counts are those of recvcounts,
// too. The median is exact (halves).
#include "predict/pattern/text/text_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace mora::predict {
namespace {

/// The lines of one distinct call.
struct Lines {
  TextRecord records[2];
  int count = 0;
  bool numbered = false;  ///< gets an id
  std::uint32_t communicator = no_id;
  const char* missing = nullptr;  ///< data-quality kind of what cannot be written
};

class CallWriter {
 public:
  CallWriter(const PatternTrace& trace, const RankTrace& rank) : definitions_(trace.definitions), rank_(rank) {}

  Lines lines_of(const Call& call) const {
    Lines lines;
    const auto& about = info(call.operation);
    lines.communicator = call.communicator;
    switch (about.kind) {
      case OperationClass::phase:
        phase(call, lines);
        return lines;
      case OperationClass::local:
        local(call, lines);
        return lines;
      default:
        break;
    }
    const bool makes = about.kind == OperationClass::communicator && call.operation != Operation::comm_free;
    if (call.communicator >= definitions_.communicators.size() && !makes) {
      lines.missing = "text-unknown-communicator";
      return lines;
    }
    switch (about.kind) {
      case OperationClass::send:
        message(call, call.peer, call.sent, lines);
        break;
      case OperationClass::receive:
        if (call.peer == peer_any) lines.missing = "text-unknown-source";
        message(call, call.peer, call.received, lines);
        break;
      case OperationClass::sendrecv:
        sendrecv(call, lines);
        break;
      case OperationClass::rooted:
        rooted(call, lines);
        break;
      case OperationClass::rootless:
      case OperationClass::neighborhood:
        rootless(call, lines);
        break;
      case OperationClass::one_sided:
        message(call, call.peer, mpi::function(call.operation).flow == mpi::Flow::in ? call.received : call.sent,
                lines);
        break;
      case OperationClass::communicator:
        communicator(call, lines);
        break;
      case OperationClass::window:
        add(call, lines);
        break;
      case OperationClass::file:
        file(call, lines);
        break;
      default:
        break;
    }
    return lines;
  }

 private:
  static constexpr std::int32_t code_of_bytes = 6;

  const Datatype* type_of(const Payload& payload) const {
    return payload.type < definitions_.datatypes.size() ? &definitions_.datatypes[payload.type] : nullptr;
  }
  std::uint64_t size_of_type(const Payload& payload) const {
    const auto* type = type_of(payload);
    return type == nullptr ? 1 : type->size;
  }
  std::int32_t code_of(const Payload& payload) const {
    const auto* type = type_of(payload);
    return type == nullptr ? code_of_bytes : type->code;
  }
  /// Elements of `payload`: bytes where no type is known.
  static std::int64_t count_of(const Payload& payload) {
    return std::clamp<std::int64_t>(payload.count, 0, largest_count);
  }
  static constexpr std::int64_t largest_count = INT64_MAX / 2;  ///< more is damage; twice it must still be a number

  TextRecord& add(const Call& call, Lines& lines) const {
    auto& record = lines.records[lines.count++];
    record.operation = call.operation;
    record.spelling = info(call.operation).spelling;
    record.sender = rank_.rank;
    if (call.communicator < definitions_.communicators.size())
      record.communicator = definitions_.communicators[call.communicator].name;
    return record;
  }

  void phase(const Call& call, Lines& lines) const {
    if (call.argument >= definitions_.phases.size()) return;
    auto& record = add(call, lines);
    record.category =
        call.operation == Operation::phase_begin ? RecordCategory::phase_start : RecordCategory::phase_end;
    record.name = definitions_.phases[call.argument];
  }

  void local(const Call& call, Lines& lines) const {
    switch (call.operation) {
      case Operation::init:
      case Operation::finalize:
      case Operation::wait:
      case Operation::waitall:
      case Operation::waitany:
      case Operation::waitsome:
      case Operation::testall:
      case Operation::testany:
      case Operation::testsome:
        add(call, lines).communicator.clear();
        break;
      case Operation::test: {
        auto& record = add(call, lines);
        record.communicator.clear();
        record.flag = 1;
        break;
      }
      default:
        break;
    }
  }

  TextRecord* message(const Call& call, std::int32_t peer, const Payload& payload, Lines& lines) const {
    if (peer < 0) return nullptr;
    auto& record = add(call, lines);
    record.category = RecordCategory::point_to_point;
    if (call.operation == Operation::start_send || call.operation == Operation::start_recv) {
      record.operation = call.operation == Operation::start_send ? Operation::isend : Operation::irecv;
      record.spelling = info(record.operation).spelling;
    }
    record.peer = peer;
    record.count = count_of(payload);
    record.size = size_of_type(payload);
    record.type = code_of(payload);
    return &record;
  }

  void sendrecv(const Call& call, Lines& lines) const {
    if (auto* record = message(call, call.peer, call.sent, lines)) record->spelling += "(s)";
    if (auto* record = message(call, call.peer2, call.received, lines)) record->spelling += "(r)";
  }

  void types(const Call& call, TextRecord& record) const {
    const Payload& first = call.sent.type == no_id ? call.received : call.sent;
    record.type = code_of(first);
    if (call.sent.type != no_id && call.received.type != no_id && call.sent.type != call.received.type)
      record.second_type = code_of(call.received);
  }

  /// Count and size of a call with one count: what is sent, or, where nothing is, what is received.
  void amount(const Call& call, TextRecord& record) const {
    const Payload& payload = call.sent.count >= 0 ? call.sent : call.received;
    record.count = count_of(payload);
    record.size = size_of_type(payload);
    types(call, record);
  }

  void statistics(const std::vector<std::uint64_t>& bytes, bool pairs, const Payload& unit, TextRecord& record) const {
    std::vector<std::int64_t> counts;
    const auto size = std::max<std::uint64_t>(size_of_type(unit), 1);
    for (std::size_t i = pairs ? 1 : 0; i < bytes.size(); i += pairs ? 2 : 1)
      counts.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes[i] / size, largest_count)));
    if (counts.empty()) return;
    std::sort(counts.begin(), counts.end());
    record.min = counts.front();
    record.max = counts.back();
    record.median_twice = counts[(counts.size() - 1) / 2] + counts[counts.size() / 2];
  }

  void vector_amount(const Call& call, TextRecord& record) const {
    const auto form = blocking_form(call.operation);
    // Which vector counts, in elements of what, and whose size is printed.
    const bool over_received =
        form == Operation::gatherv || form == Operation::allgatherv || form == Operation::neighbor_allgatherv;
    const auto vector = over_received ? call.received_vector : call.sent_vector;
    const Payload* unit = over_received || call.sent.type == no_id ? &call.received : &call.sent;
    if (unit->type == no_id) unit = &call.sent;
    const Payload* printed = form == Operation::gatherv || call.sent.type == no_id ? &call.received : &call.sent;
    if (printed->type == no_id) printed = &call.sent;
    types(call, record);
    if (vector >= rank_.vectors.size()) {  // away from the root: the one count that is known here
      const Payload& own = call.sent.count >= 0 ? call.sent : call.received;
      record.size = size_of_type(own);
      record.min = record.max = count_of(own);
      record.median_twice = 2 * record.min;
      return;
    }
    record.size = size_of_type(*printed);
    statistics(rank_.vectors[vector], info(form).kind == OperationClass::neighborhood, *unit, record);
  }

  void rooted(const Call& call, Lines& lines) const {
    const auto& communicator = definitions_.communicators[call.communicator];
    const bool inter = !communicator.remote.empty();
    if (inter && call.peer != root_here) return;
    auto& record = add(call, lines);
    const bool vector = info(call.operation).vector;
    record.category = vector ? RecordCategory::rooted_vector : RecordCategory::rooted;
    if (vector)
      vector_amount(call, record);
    else
      amount(call, record);
    if (call.communicator != 0)
      record.local_sender = inter ? side_rank(communicator) : local_rank(communicator, rank_.rank);
    record.peer = inter ? record.local_sender : call.peer;
  }

  std::int32_t side_rank(const Communicator& communicator) const {
    const auto own = local_rank(communicator, rank_.rank);
    if (own >= 0) return own;
    const auto at = std::find(communicator.remote.begin(), communicator.remote.end(), rank_.rank);
    return at == communicator.remote.end() ? -1 : static_cast<std::int32_t>(at - communicator.remote.begin());
  }

  void rootless(const Call& call, Lines& lines) const {
    auto& record = add(call, lines);
    const auto form = blocking_form(call.operation);
    if (form == Operation::barrier) return;
    lines.numbered = true;
    if (info(call.operation).vector) {
      record.category = RecordCategory::rootless_vector;
      vector_amount(call, record);
      return;
    }
    record.category = RecordCategory::rootless;
    amount(call, record);
    if (form == Operation::allgather) {
      record.receive_count = count_of(call.received);
      record.receive_size = size_of_type(call.received);
    }
  }

  void communicator(const Call& call, Lines& lines) const {
    auto& record = add(call, lines);
    record.category = RecordCategory::communicator;
    if (call.operation == Operation::comm_free) {
      record.name = record.communicator;
      return;
    }
    if (call.argument >= definitions_.communicators.size()) {
      record.communicator.clear();
      record.undefined_color = true;
      return;
    }
    const auto& made = definitions_.communicators[call.argument];
    record.communicator = made.name;
    record.members = made.members.empty() ? 1 : made.members.size() + made.remote.size();
    if (made.remote.empty()) {
      record.color = made.color;
      record.key = call.operation == Operation::comm_split ? call.tag2 : local_rank(made, rank_.rank);
    } else {
      record.color = local_rank(made, rank_.rank) >= 0 ? 0 : 1;
      record.key = side_rank(made);
    }
  }

  void file(const Call& call, Lines& lines) const {
    auto& record = add(call, lines);
    if (call.operation != Operation::file_read && call.operation != Operation::file_write) return;
    const Payload& payload = call.operation == Operation::file_read ? call.received : call.sent;
    record.count = count_of(payload);
    record.size = size_of_type(payload);
    record.type = code_of(payload);
  }

  const Definitions& definitions_;
  const RankTrace& rank_;
};

}  // namespace

void to_text_records(const PatternTrace& trace, const RankTrace& rank,
                     const std::function<void(const TextRecord&)>& sink, DataQuality& quality) {
  const CallWriter writer(trace, rank);
  std::vector<std::optional<Lines>> known(rank.calls.size());
  std::vector<std::int64_t> ids(trace.definitions.communicators.size(), 0);
  std::map<std::string, std::uint64_t> missing;
  auto cursor = rank.order.cursor();
  std::uint32_t index = 0;
  while (cursor.next(index)) {
    if (!known[index]) known[index] = writer.lines_of(rank.calls[index]);
    auto& lines = *known[index];
    if (lines.missing != nullptr) ++missing[lines.missing];
    if (lines.numbered) lines.records[0].id = ++ids[lines.communicator];
    for (int i = 0; i < lines.count; ++i) sink(lines.records[i]);
  }
  for (const auto& [kind, count] : missing)
    quality.add(kind, Severity::warning, fmt::format("rank {}", rank.rank), count,
                kind == "text-unknown-source" ? "receives whose source never became known are not in the text trace"
                                              : "calls on communicators that are not known are not in the text trace",
                kind == "text-unknown-source" ? "complete every request before MPI_Finalize" : "");
}

}  // namespace mora::predict
