/// Emitter: records of a Pajé file to events of a trace. Second pass; Survey has seen the same records.
///
/// Source: Pajé (records); rule `paje-processes` and docs/formats/paje.md for what they become. States are regions: set
/// closes all states of its time line and enters one, push enters, pop leaves. Link ends are halves of messages, which
/// Survey has paired.
/// Cost: O(log) per record. Memory: one entry per time line and variable.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/readers/building/trace_builder.h"
#include "trace/readers/paje/layout.h"

namespace mora::trace::paje {

class Emitter : public RecordSink {
 public:
  /// `all`: the interpreter of the first pass.
  Emitter(const Interpreter& all, const Survey& survey, TraceBuilder& builder, Damage& damage);
  void on_record(const Record& record) override;
  /// Closes states that were set and never changed; they last to the end of the trace.
  void finish();
  /// The messages could not be read back.
  bool failed() const { return halves_.failed(); }

 private:
  struct Open {
    LocationId location = no_id;
    bool set = false;  ///< the outermost state was set, not pushed
  };
  void state(const Record& record);
  void link(const Record& record);
  void transfer(const Record& record);
  void simple(const Record& record, Event event);
  void variable(const Record& record);
  void life(const Record& record);
  void end_states(const Open& line, Nanoseconds time);
  void enter(Open& line, const Record& record);
  void skip(const Record& record, const char* what);

  const Interpreter& all_;  ///< of the first pass: every type and container
  const Survey& survey_;
  TraceBuilder& builder_;
  Damage& damage_;
  std::vector<Open> lines_;                                       ///< by time line
  std::map<std::uint32_t, std::vector<std::uint32_t>> lines_of_;  ///< container -> its time lines
  std::map<std::uint32_t, std::uint32_t> metrics_;                ///< variable type -> index in Definitions::metrics
  std::map<std::pair<std::uint32_t, std::uint32_t>, MetricValue>
      values_;                           ///< (container, type) -> value of the variable
  std::vector<std::uint64_t> requests_;  ///< by location
  LinkedMessages::Cursor halves_;
  std::uint32_t next_transfer_ = 0;
};

/// "PMPI_Send", "action_send" and, where the state type is about MPI, "send": "MPI_Send". Else empty.
std::string mpi_name(std::string_view value, std::string_view state_type);

}  // namespace mora::trace::paje
