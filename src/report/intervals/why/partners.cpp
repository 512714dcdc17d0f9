#include "report/intervals/why/partners.h"

#include <algorithm>

namespace mora::report {
namespace {

using trace::CommId;
using trace::Event;
using trace::EventKind;

class Reader : public trace::EventSink {
 public:
  Reader(const trace::Definitions& definitions, std::uint32_t own_rank, std::uint32_t of_rank, Partners& partners)
      : definitions_(definitions), own_rank_(own_rank), of_rank_(of_rank), partners_(partners) {}

  void on_event(const Event& event) override {
    switch (event.kind) {
      case EventKind::enter:
        open_.push_back({event.time, trace::no_id});
        break;
      case EventKind::leave:
        if (open_.empty()) break;
        if (open_.back().comm != trace::no_id) add(open_.back(), event.time);
        open_.pop_back();
        break;
      case EventKind::send:
      case EventKind::send_request:
        if (event.peer == of_rank_) {
          partners_.sends[{event.comm, own_rank_, event.tag}].push_back(open_.empty() ? event.time
                                                                                      : open_.back().enter);
        }
        break;
      default:
        if (const CommId comm = collective_comm(event, definitions_); comm != trace::no_id && !open_.empty()) {
          open_.back().comm = comm;
        }
        break;
    }
  }

 private:
  struct Open {
    Nanoseconds enter;
    CommId comm;  ///< of the collective that it is
  };

  void add(const Open& call, Nanoseconds leave) {
    std::vector<CollectiveTimes>& instances = partners_.collectives[call.comm];
    const std::size_t index = next_[call.comm]++;
    if (instances.size() <= index) instances.resize(index + 1);
    CollectiveTimes& instance = instances[index];
    instance.first_enter = std::min(instance.first_enter, call.enter);
    if (call.enter > instance.last_enter) instance.last_enter = call.enter, instance.last_rank = own_rank_;
    instance.last_leave = std::max(instance.last_leave, leave);
    ++instance.members;
  }

  const trace::Definitions& definitions_;
  const std::uint32_t own_rank_, of_rank_;
  Partners& partners_;
  std::vector<Open> open_;
  std::map<CommId, std::size_t> next_;
};

}  // namespace

CommId collective_comm(const Event& event, const trace::Definitions& definitions) {
  CommId comm = trace::no_id;
  if (event.kind == EventKind::collective_end) comm = event.comm;
  if (event.kind == EventKind::rma_collective_end && event.window < definitions.windows.size()) {
    comm = definitions.windows[event.window].comm;
  }
  if (event.collective == trace::Collective::init || event.collective == trace::Collective::finalize)
    return trace::no_id;
  return comm < definitions.communicators.size() && !definitions.communicators[comm].self ? comm : trace::no_id;
}

Result<Partners> partners_of(trace::Source& source, std::uint32_t rank) {
  Partners partners;
  const trace::Definitions& definitions = source.definitions();
  for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
    Reader reader(definitions, definitions.locations[l].rank, rank, partners);
    MORA_CHECK_OK(source.read_location(l, reader));
  }
  return partners;
}

}  // namespace mora::report
