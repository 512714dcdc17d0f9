/// Text records as calls. Each record becomes one call; a Sendrecv(s) and the (r) behind it become one. What the text
/// does not hold is filled in: vector counts that fit least, median and greatest (fit_counts), MPI_COMM_WORLD as
/// parent, no tags (rule `text-traces-of-others`, docs/rules.md).
#include "predict/pattern/text/calls.h"

#include <algorithm>

namespace mora::predict {
namespace {

bool fits(std::int64_t count, std::uint64_t size) {
  std::int64_t bytes = 0;
  return !__builtin_mul_overflow(std::max<std::int64_t>(count, 0), size, &bytes);
}

bool is_rank(std::int64_t peer) { return peer >= INT32_MIN && peer <= INT32_MAX; }

}  // namespace

std::vector<std::uint64_t> fit_counts(std::uint64_t n, std::int64_t min, std::int64_t median_twice, std::int64_t max) {
  if (n == 0) return {};
  std::vector<std::uint64_t> counts(n);
  // The middle one, or the middle two whose mean is the median.
  const std::uint64_t low = (n - 1) / 2, high = n / 2;
  const auto least = static_cast<std::uint64_t>(min), most = static_cast<std::uint64_t>(max);
  const auto below = static_cast<std::uint64_t>(median_twice) / 2,
             above = (static_cast<std::uint64_t>(median_twice) + 1) / 2;
  for (std::uint64_t i = 0; i < low; ++i)
    counts[i] = least + static_cast<std::uint64_t>(static_cast<double>(below - least) * static_cast<double>(i) /
                                                   static_cast<double>(low));
  counts[low] = below;
  counts[high] = low == high ? below : above;
  for (std::uint64_t i = high + 1; i < n; ++i)
    counts[i] = above + static_cast<std::uint64_t>(static_cast<double>(most - above) * static_cast<double>(i - high) /
                                                   static_cast<double>(n - 1 - high));
  if (n > 1) {
    counts.front() = least;
    counts.back() = most;
  }
  return counts;
}

TextRankBuilder::TextRankBuilder(std::uint32_t rank, std::uint32_t world_size) : builder_(rank), own_(rank) {
  rank_.communicators.push_back({.name = "MPI_COMM_WORLD", .size = world_size});
  rank_.communicators.push_back({.name = "MPI_COMM_SELF", .size = 1});
  communicator_numbers_ = {{"MPI_COMM_WORLD", 0}, {"MPI_COMM_SELF", 1}};
}

std::uint32_t TextRankBuilder::communicator(const std::string& name) {
  const auto [at, added] =
      communicator_numbers_.try_emplace(name, static_cast<std::uint32_t>(rank_.communicators.size()));
  if (added) rank_.communicators.push_back({.name = name});
  return at->second;
}

std::uint32_t TextRankBuilder::window(std::uint32_t communicator) {
  const auto at = std::find(rank_.windows.begin(), rank_.windows.end(), communicator);
  if (at == rank_.windows.end()) {
    rank_.windows.push_back(communicator);
    return static_cast<std::uint32_t>(rank_.windows.size() - 1);
  }
  return static_cast<std::uint32_t>(at - rank_.windows.begin());
}

Payload TextRankBuilder::payload(std::int64_t count, std::uint64_t size, std::int64_t code) {
  const std::pair type(size, static_cast<std::int32_t>(code));
  const auto [at, added] = datatype_numbers_.try_emplace(type, static_cast<std::uint32_t>(rank_.datatypes.size()));
  if (added) rank_.datatypes.push_back(type);
  return {count, at->second};
}

bool TextRankBuilder::add(const TextRecord& r) {
  const bool vector = r.category == RecordCategory::rooted_vector || r.category == RecordCategory::rootless_vector;
  if (!is_rank(r.peer) || !fits(r.count, r.size) || !fits(r.receive_count, r.receive_size)) return false;
  if (vector && (r.min < 0 || r.min > r.max || r.max > (INT64_MAX >> 26) || r.median_twice < 2 * r.min ||
                 r.median_twice > 2 * r.max || !fits(r.max, r.size)))
    return false;
  Call call;
  call.operation = r.operation;
  switch (r.category) {
    case RecordCategory::ignored:
      if (r.operation == Operation::other) return true;  // PAPI's counts
      if (r.operation == Operation::finalize) complete_ = true;
      if (r.operation == Operation::test && r.flag == 0) {
        ++dropped_tests_;
        return true;
      }
      if (!r.communicator.empty()) call.communicator = communicator(r.communicator);
      if (info(r.operation).kind == OperationClass::window && call.communicator != no_id)
        call.argument = window(call.communicator);
      if (r.operation == Operation::file_read) call.received = payload(r.count, r.size, r.type);
      if (r.operation == Operation::file_write) call.sent = payload(r.count, r.size, r.type);
      break;
    case RecordCategory::point_to_point:
      message(r, call);
      if (info(r.operation).kind == OperationClass::sendrecv) {
        // (s), then (r) of the same call; a side that is MPI_PROC_NULL has no line.
        if (r.spelling.ends_with("(r)")) {
          if (has_half_ && sent_half_.operation == call.operation && sent_half_.communicator == call.communicator) {
            call.peer = sent_half_.peer;
            call.sent = sent_half_.sent;
            has_half_ = false;
          }
          break;
        }
        flush();
        sent_half_ = call;
        has_half_ = true;
        return true;
      }
      break;
    case RecordCategory::rooted:
    case RecordCategory::rootless:
      collective(r, call);
      break;
    case RecordCategory::rooted_vector:
    case RecordCategory::rootless_vector:
      vector_collective(r, call);
      break;
    case RecordCategory::communicator:
      creation(r, call);
      break;
    case RecordCategory::phase_start:
    case RecordCategory::phase_end: {
      const auto [at, added] = phase_numbers_.try_emplace(r.name, static_cast<std::uint32_t>(rank_.phases.size()));
      if (added) rank_.phases.push_back(r.name);
      call.argument = at->second;
      break;
    }
  }
  flush();
  builder_.add(call);
  return true;
}

void TextRankBuilder::flush() {
  if (has_half_) builder_.add(sent_half_);
  has_half_ = false;
}

void TextRankBuilder::message(const TextRecord& r, Call& call) {
  const OperationClass kind = info(r.operation).kind;
  if (r.count < 0) return;  // MinI's short record: only the source is known
  call.communicator = communicator(r.communicator);
  const auto peer = static_cast<std::int32_t>(r.peer);
  const Payload moved = payload(r.count, r.size, r.type);
  if (kind == OperationClass::receive || r.spelling.ends_with("(r)")) {
    (kind == OperationClass::sendrecv ? call.peer2 : call.peer) = std::max(peer, peer_none);
    call.received = moved;
    call.bytes_received = static_cast<std::uint64_t>(r.count) * r.size;
    return;
  }
  call.peer = std::max(peer, peer_none);
  if (kind == OperationClass::one_sided) call.argument = window(call.communicator);
  (mpi::function(r.operation).flow == mpi::Flow::in ? call.received : call.sent) = moved;
}

void TextRankBuilder::collective(const TextRecord& r, Call& call) {
  call.communicator = communicator(r.communicator);
  const Payload given = payload(r.count, r.size, r.type);
  const std::int32_t other = r.second_type >= 0 ? r.second_type : r.type;
  const auto form = blocking_form(r.operation);
  if (r.category == RecordCategory::rooted) {
    call.peer = static_cast<std::int32_t>(r.peer);
    const bool root = r.peer == (r.local_sender >= 0 ? r.local_sender : std::int64_t{own_});
    const bool from_root = form == Operation::bcast || form == Operation::scatter;
    if (!from_root || root) call.sent = given;
    if (from_root ? (!root || form == Operation::scatter) : root) call.received = payload(r.count, r.size, other);
    return;
  }
  call.sent = given;
  if (form == Operation::allgather && r.receive_count >= 0)
    call.received = payload(r.receive_count, r.receive_size, other);
  else
    call.received = payload(r.count, r.size, other);
  if (info(r.operation).kind == OperationClass::neighborhood) ++rank_.lost_neighbors;
}

std::vector<std::uint64_t> TextRankBuilder::fitted(const TextRecord& r, std::uint32_t communicator) {
  ++rank_.fitted_vectors;
  // A communicator of more members than twice the world is a damaged record's.
  return fit_counts(std::min(rank_.communicators[communicator].size, 2 * rank_.communicators[0].size), r.min,
                    r.median_twice, r.max);
}

void TextRankBuilder::vector_collective(const TextRecord& r, Call& call) {
  call.communicator = communicator(r.communicator);
  const auto form = blocking_form(r.operation);
  const std::int32_t other = r.second_type >= 0 ? r.second_type : r.type;
  if (info(r.operation).kind == OperationClass::neighborhood) {
    call.sent = payload(r.max, r.size, r.type);
    ++rank_.lost_neighbors;
    return;
  }
  const bool rooted = r.category == RecordCategory::rooted_vector;
  if (rooted) call.peer = static_cast<std::int32_t>(r.peer);
  const bool root = rooted && r.peer == (r.local_sender >= 0 ? r.local_sender : std::int64_t{own_});
  if (rooted && !root) {  // the one count that is known away from the root
    (form == Operation::gatherv ? call.sent : call.received) = payload(r.max, r.size, r.type);
    return;
  }
  auto counts = fitted(r, call.communicator);
  std::int64_t sum = 0;
  for (auto& count : counts) {
    sum += static_cast<std::int64_t>(count);
    count *= r.size;
  }
  const auto vector = builder_.vector(std::move(counts));
  const bool over_received = form == Operation::gatherv || form == Operation::allgatherv;
  (over_received ? call.received_vector : call.sent_vector) = vector;
  (over_received ? call.received : call.sent) = payload(sum, r.size, over_received ? other : r.type);
  // The process's own share is not in the record: it is taken to be the median.
  if (over_received) call.sent = payload(r.median_twice / 2, r.size, r.type);
}

void TextRankBuilder::creation(const TextRecord& r, Call& call) {
  if (r.operation == Operation::comm_free) {
    call.communicator = communicator(r.communicator);
    return;
  }
  call.communicator = 0;  // its parent is not in the record
  if (r.undefined_color) return;
  call.argument = communicator(r.communicator);
  call.tag2 = static_cast<std::int32_t>(r.key);
  auto& made = rank_.communicators[call.argument];
  made.made = true;
  made.made_by = r.operation;
  made.color = r.color;
  made.key = r.key;
  if (call.argument > 1) made.size = r.members;  // the world and MPI_COMM_SELF are not made
}

TextRank TextRankBuilder::finish() {
  flush();
  rank_.trace = builder_.finish();
  rank_.trace.complete = complete_;
  rank_.trace.dropped_tests = dropped_tests_;
  return std::move(rank_);
}

}  // namespace mora::predict
