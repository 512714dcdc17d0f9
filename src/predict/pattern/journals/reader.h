/// The reading of one journal for rank.h. Parts: rank.cpp (definitions, marks,
/// notes), calls.cpp (messages, requests, windows, files), collectives.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "predict/pattern/journals/rank.h"
#include "predict/pattern/journals/sources.h"

namespace mora::predict {

using journal::pair_high;
using journal::pair_low;
using journal::Record;

/// A DATA record.
struct Data {
  std::uint32_t thread = 0;
  std::uint32_t sent_type = 0, received_type = 0;  ///< numbers in the journal, 0 none
  std::int64_t sent = -1, received = -1;
  bool has_word = false;
  std::uint64_t word = 0;
};

/// A message that MPI_Mprobe matched and that was not received yet.
struct Matched {
  std::uint32_t communicator = no_id;
  std::int32_t source = peer_none, tag = tag_any;
};

class RankReader {
 public:
  RankReader(const journal::Journal& journal, std::uint32_t rank, DataQuality& quality)
      : journal_(journal), quality_(quality), where_("rank " + std::to_string(rank)), calls_(rank), sources_(journal) {}

  /// Reads the journal once from beginning to end.
  RankPart run();

 private:
  struct Row {
    Severity severity;
    std::uint64_t count = 0;
    const char *what, *remedy;
  };
  void count(const char* kind, Severity severity, const char* what, const char* remedy = "", std::uint64_t n = 1) {
    rows_.try_emplace(kind, Row{severity, 0, what, remedy}).first->second.count += n;
  }
  void take(const Record& r);

  // Definitions.
  void take_data(const Record& r);
  std::uint32_t intern(Datatype type);
  void define_type(const Record& r);
  void define_mark(const Record& r);
  void phase(const Record& r, Operation operation);
  void define_communicator(const Record& r);
  void note(const Record& r);

  // Calls.
  Call begin(Operation operation) const {
    Call call;
    call.operation = operation;
    if (!data_.empty()) call.thread = static_cast<std::uint16_t>(std::min<std::uint32_t>(data_.front().thread, 0xffff));
    return call;
  }
  Payload payload(std::uint32_t type, std::int64_t n);
  Payload sent(const Data& d) { return payload(d.sent_type, d.sent); }
  Payload received(const Data& d) { return payload(d.received_type, d.received); }
  /// Of a call without DATA (journals of `mora record`): bytes.
  Payload bytes(std::uint64_t n);
  void fill_sent(Call& call, std::uint64_t n);
  void fill_received(Call& call, std::uint64_t n);
  void fill_posted(Call& call) const;
  /// A request begins: the call is added.
  void start(const Call& call, std::uint64_t number);
  std::uint32_t age_of(std::uint64_t number) const {
    const auto at = requests_.find(number);
    return at == requests_.end() ? no_id : static_cast<std::uint32_t>(started_ - at->second);
  }
  void call(const Record& r);
  static bool moved_anything(const Record& r);
  void receive(const Record& r, Call& call);
  /// MPI_Irecv, and probes that matched a message.
  void posted(const Record& r, Call& call);
  void resolve(Call& call, std::uint64_t request, std::uint64_t peer_tag);
  void complete(const Record& r, Call& call);
  void starts(const Record& r);
  void collective(const Record& r, Call& call);
  /// A vector call's count is the sum.
  void fill_sum(Payload& payload, const std::vector<std::uint64_t>& vector) const;
  void flush_collective();
  /// `call` made a communicator (its definition stood before), gave MPI_COMM_NULL, or freed one.
  void communicator(Call& call);
  void one_sided(const Record& r, Call& call);
  void window(const Record& r, Call& call);
  void file(const Record& r, Call& call);
  void other(const Record& r, Call& call);
  void imrecv(const Record& r, Call& call);

  const journal::Journal& journal_;
  DataQuality& quality_;
  std::string where_;
  RankTraceBuilder calls_;
  WildcardSources sources_;
  RankPart part_;
  std::map<std::string, Row> rows_;
  std::uint64_t dropped_tests_ = 0;
  std::map<std::tuple<std::string, std::uint64_t, std::int64_t, std::uint8_t, bool, bool>, std::uint32_t> type_numbers_;
  std::unordered_map<std::uint32_t, std::uint32_t> types_;     ///< number in the journal → index in part_.types
  std::unordered_map<std::uint32_t, std::uint32_t> marks_;     ///< → index in part_.phases
  std::unordered_map<std::uint32_t, std::uint32_t> files_;     ///< → communicator
  std::unordered_map<std::uint32_t, std::uint32_t> children_;  ///< communicator → ordinal of the next creation on it
  std::uint32_t new_communicator_ = no_id;                     ///< index in part_.creations of what the next call made
  std::vector<Data> data_;  ///< of the next call; of MPI_Startall one for each request
  unsigned open_function_ = 0;
  std::uint64_t started_ = 0;                                  ///< requests so far
  std::unordered_map<std::uint64_t, std::uint64_t> requests_;  ///< number in the journal → ordinal, while open
  std::unordered_set<std::uint64_t> file_requests_;
  std::unordered_map<std::uint64_t, Matched> matched_;
  std::unordered_map<std::uint64_t, Call> persistent_;  ///< number of the _init → what its start does

  bool waiting_ = false;  ///< a collective waits for its vectors
  Call pending_;
  Operation pending_moves_ = Operation::other;
  std::uint64_t request_ = 0;
  std::vector<std::uint64_t> vectors_[4];  ///< sent, received, destinations, sources
};

}  // namespace mora::predict
