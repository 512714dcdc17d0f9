// A journal holds calls in order of their return, each behind its DATA record and followed by its vectors; requests are
// numbers. Here a call becomes a Call: its arguments from DATA, its outcome from its own record, request numbers as
// ages (how many requests were started since), so that the iterations of a loop are equal and fold. A wildcard receive
// stands where it was posted with the source that its completion names (sources.h); a started persistent
// operation is a call of its own for each request.
#include "predict/pattern/journals/rank.h"

#include "experiment/convert/recorder_notes.h"
#include "predict/pattern/journals/reader.h"

namespace mora::predict {
namespace {

constexpr std::int32_t phase_mark = 5;  // enum mora_mark_kind

}  // namespace

RankPart RankReader::run() {
  auto cursor = journal_.records();
  for (Record record; cursor.next(record);) take(record);
  flush_collective();
  for (const auto& [kind, row] : rows_) quality_.add(kind, row.severity, where_, row.count, row.what, row.remedy);
  part_.trace = [&] {
    auto trace = calls_.finish();
    trace.dropped_tests = dropped_tests_;
    trace.complete = journal_.finalized();
    return trace;
  }();
  part_.ended = journal_.ended();
  return std::move(part_);
}

void RankReader::take(const Record& r) {
  if (r.shape == MORA_SHAPE_VECTOR) {
    auto& counts = vectors_[pair_low(r.payload[0]) & 3];
    if (waiting_) counts.insert(counts.end(), r.payload.begin() + 1, r.payload.end());
    return;
  }
  if (r.shape == MORA_SHAPE_OVERHEAD)
    return;  // may stand between the two vectors of a call, if the first filled a chunk
  flush_collective();
  switch (r.shape) {
    case MORA_SHAPE_DATA:
      take_data(r);
      return;
    case MORA_SHAPE_DEFINE_TYPE:
      define_type(r);
      return;
    case MORA_SHAPE_DEFINE_MARK:
      define_mark(r);
      return;
    case MORA_SHAPE_MARK_BEGIN:
      phase(r, Operation::phase_begin);
      return;
    case MORA_SHAPE_MARK_END:
      phase(r, Operation::phase_end);
      return;
    case MORA_SHAPE_NOTE:
      note(r);
      return;
    case MORA_SHAPE_RECORDING:
      if (pair_low(r.payload[0]) == 0)
        count("recording-off", Severity::loss,
              "recording was switched off: the calls until it was switched on again are missing",
              "remove MPI_Pcontrol(0)");
      return;
    case MORA_SHAPE_DEFINE_COMM:
      define_communicator(r);
      return;
    default:
      break;
  }
  if (r.function == 0) {
    part_.definitions.take(r);
    if (r.shape == MORA_SHAPE_DEFINE_FILE) files_[r.object] = static_cast<std::uint32_t>(pair_low(r.payload[0]));
    return;
  }
  call(r);
  data_.clear();
  new_communicator_ = no_id;
}

void RankReader::take_data(const Record& r) {
  Data d;
  d.thread = r.object;
  d.sent_type = static_cast<std::uint32_t>(pair_low(r.payload[0]));
  d.received_type = static_cast<std::uint32_t>(pair_high(r.payload[0]));
  d.sent = static_cast<std::int64_t>(r.payload[1]);
  d.received = static_cast<std::int64_t>(r.payload[2]);
  d.has_word = r.payload.size() > 3;
  if (d.has_word) d.word = r.payload[3];
  data_.push_back(d);
}

std::uint32_t RankReader::intern(Datatype type) {
  const auto key = std::make_tuple(type.name, type.size, type.extent, type.code, type.contiguous, type.predefined);
  const auto [at, added] = type_numbers_.try_emplace(key, static_cast<std::uint32_t>(part_.types.size()));
  if (added) part_.types.push_back(std::move(type));
  return at->second;
}

void RankReader::define_type(const Record& r) {
  const auto& p = r.payload;
  Datatype type;
  type.size = p[0];
  type.extent = static_cast<std::int64_t>(p[1]);
  type.code = static_cast<std::uint8_t>(pair_low(p[2]));
  type.contiguous = (pair_high(p[2]) & 1) != 0;
  type.predefined = (pair_high(p[2]) & 2) != 0;
  const auto bytes = std::min<std::size_t>(static_cast<std::uint32_t>(pair_low(p[3])), (p.size() - 4) * 8);
  type.name.assign(reinterpret_cast<const char*>(p.data() + 4), bytes);
  types_[r.object] = intern(std::move(type));
}

void RankReader::define_mark(const Record& r) {
  if (pair_low(r.payload[0]) != phase_mark) return;
  const auto file = static_cast<std::uint32_t>(pair_low(r.payload[1]));
  const auto length = static_cast<std::uint32_t>(pair_high(r.payload[1]));
  const std::string name(reinterpret_cast<const char*>(&r.payload[2]) + (std::size_t{file} + 7) / 8 * 8, length);
  const auto at = std::find(part_.phases.begin(), part_.phases.end(), name);
  marks_[r.object] = static_cast<std::uint32_t>(at - part_.phases.begin());
  if (at == part_.phases.end()) part_.phases.push_back(name);
}

void RankReader::phase(const Record& r, Operation operation) {
  const auto mark = marks_.find(r.object);
  if (mark == marks_.end()) {  // marks of other kinds are not about communication
    data_.clear();
    return;
  }
  Call call = begin(operation);
  call.argument = mark->second;
  calls_.add(call);
  data_.clear();
}

void RankReader::define_communicator(const Record& r) {
  part_.definitions.take(r);
  const auto& c = part_.definitions.communicators.back();
  if (c.kind == MORA_COMM_WORLD || c.kind == MORA_COMM_SELF) return;
  Creation creation;
  creation.made = c.id;
  creation.parent = c.parent;
  creation.ordinal = c.ordinal;
  creation.collective = c.kind == MORA_COMM_COLLECTIVE;
  if (creation.collective) children_[c.parent] = c.ordinal + 1;
  // A communicator found in use was made by a call that was not recorded; it may be met inside any call.
  if (c.kind != MORA_COMM_UNSEEN) new_communicator_ = static_cast<std::uint32_t>(part_.creations.size());
  part_.creations.push_back(creation);
}

void RankReader::note(const Record& r) {
  const auto note = pair_low(r.payload[0]);
  const auto value = r.payload[1];
  if (note == MORA_NOTE_NO_FULL_EVENTS) {
    const std::string name(mpi::function(static_cast<unsigned>(value)).name);
    quality_.add("no-full-events", Severity::loss, name.empty() ? "an MPI function" : name, 1,
                 "what these calls move is not recorded", "");
    return;
  }
  const experiment::NoteMeaning row = experiment::meaning_of_note(note, value);
  count(row.kind, row.severity, row.what, row.remedy, row.count);
}

RankPart read_rank(const journal::Journal& journal, std::uint32_t rank, DataQuality& quality) {
  return RankReader(journal, rank, quality).run();
}

}  // namespace mora::predict
