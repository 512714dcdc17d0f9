/// The grammar of docs/formats/trace-text.md: statements into events. One object reads one text. Errors (unreadable)
/// name file, line and column, what was expected and what was found; the first one ends reading, because a text is
/// written by hand or by a test and must be right.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/readers/text/attributes.h"
#include "trace/readers/text/builder.h"

namespace mora::trace::text {

/// "P2", "P2.1".
bool parse_location(std::string_view text, std::uint64_t& rank, std::uint64_t& thread);

class Parser {
 public:
  /// `ranks`: how many ranks the text names (0 while counting them).
  Parser(std::string file, std::uint32_t ranks);
  /// Error (unreadable): the first one of the text, with its line and column.
  Result<std::unique_ptr<MemorySource>> run(const std::vector<Statement>& statements);

 private:
  using Keys = std::vector<Key>;

  /// A statement that is an event or a call, while it is being read.
  struct Line {
    const Statement& statement;
    std::size_t name = 0;  ///< index of the word that names region or type
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    bool call = false;
    Stream& stream;
    Builder::Key key;
  };

  /// Reads one statement: a definition, or an event or call.
  Result<void> one(const Statement& statement);
  Result<void> wrong(const Word& at, const std::string& why) const;
  Result<Attributes> attributes(const Line& line, const Keys& allowed);

  // definitions.cpp: statements that begin with a word such as `comm`, `group`, `window`.
  Result<bool> definition(const Statement& statement);  ///< false: not a definition
  Result<void> define_unit(const Statement& statement);
  Result<void> define_communicator(const Statement& statement);
  Result<void> define_grid(const Statement& statement);
  Result<void> define_group(const Statement& statement);
  Result<void> define_window(const Statement& statement);
  Result<void> define_node(const Statement& statement);
  Result<void> define_metric(const Statement& statement);
  Result<void> define_region(const Statement& statement);
  Result<void> define_location(const Statement& statement);
  Result<std::vector<std::uint32_t>> rank_list(const Word& word);

  // events.cpp: where a line stands (location, time, or begin and end), and what its attributes refer to.
  Result<void> event_line(const Statement& statement);
  Result<void> place(Line& line);
  Event event(const Line& line, EventKind kind, Nanoseconds time) const;
  Result<std::uint32_t> peer(const Word& at, const std::optional<Partner>& partner, const char* key);
  Result<CommId> comm(const Attributes& given);
  Result<WindowId> window(const Line& line, const Attributes& given);
  Result<GroupId> group(const Line& line, const Attributes& given);
  /// A request of the location by name; `active`: it must be under way.
  Result<Request*> request(const Line& line, const Word& name, bool active);

  // calls.cpp: compact calls. `at_end` collects the events at the end of the call.
  Result<void> call(Line& line);
  Result<void> message_call(Line& line, CallClass c, std::vector<Event>& at_end);
  Result<void> request_call(Line& line, CallClass c, std::vector<Event>& at_end);
  Result<void> completing_call(Line& line, CallClass c, std::vector<Event>& at_end);
  Result<void> collective_call(Line& line, Collective collective, std::vector<Event>& at_end);
  Result<void> window_call(Line& line, CallClass c, std::vector<Event>& at_end);
  Result<void> transfer_call(Line& line, CallClass c);
  Result<void> passive_call(Line& line, std::vector<Event>& at_end);
  /// `offset`, `extent` of a transfer; without `extent` it is as long as its data.
  static void target_range(const Attributes& given, Event& e);
  Result<void> collective_start_call(Line& line);
  /// `counts`, or the neighbours `dests` and `sources`, as a vector of the location.
  Result<void> collective_vector(const Line& line, const Attributes& given, Event& e);
  Result<void> collective_values(const Line& line, const Attributes& given, Event& event);
  Result<Request*> new_request(const Line& line, const Attributes& given);
  void start_request(const Line& line, Request& request);

  // records.cpp: single records, named as in KOJAK and EARL.
  Result<void> record(Line& line);
  Result<void> enter(Line& line);
  Result<void> leave(Line& line, const std::vector<Event>& before);
  Result<void> exit_record(Line& line, std::string_view type);
  Result<void> shmem_collective_record(Line& line, Event e);
  Result<void> message_record(Line& line, bool send);
  Result<void> request_record(Line& line, std::string_view type);
  Result<void> transfer_record(Line& line, std::string_view type);
  Result<void> lock_record(Line& line, bool request);

  // more_records.cpp: single records that KOJAK does not have.
  Result<bool> more_record(Line& line, std::string_view type);  ///< false: not one of these
  Result<void> collective_record(Line& line, bool start);
  Result<void> atomic_record(Line& line, bool start);
  Result<void> flush_record(Line& line);
  Result<void> io_record(Line& line, bool start);
  Result<void> metric_record(Line& line);
  Result<void> sample_record(Line& line);
  Result<void> user_record(Line& line);
  RegionId open_region(const Line& line) const;
  /// What may stand behind the name of a region that is entered: the `id` of an interval, the `level` of MPI_Pcontrol,
  /// how many `polls` a test or probe stands for, the `team` of other regions.
  Result<std::int32_t> entered_number(Line& line, const Region& region);

  std::string file_;
  Builder builder_;
  Nanoseconds unit_ = 1;
  Builder::Key current_{0, 0};
  bool have_current_ = false;
};

}  // namespace mora::trace::text
