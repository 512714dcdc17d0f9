#include "trace/links/transfers.h"

namespace mora::trace {

EpochTicket ticket_of(const Event& transfer, std::uint32_t rank, LocationEnds& ends) {
  const std::uint32_t stretch = ends.gaps().stretch();
  const bool put = transfer.kind == EventKind::put;
  const auto place = ends.epochs().place(transfer.window, transfer.peer, stretch);
  switch (place.place) {
    case WindowEpochs::Place::lock:
      return {{EpochKind::lock, rank, transfer.window, transfer.peer, stretch}, place.number + 1};
    case WindowEpochs::Place::lock_all:
      return {{EpochKind::lock, rank, transfer.window, no_id, stretch}, place.number + 1};
    case WindowEpochs::Place::access:
      if (put) return {{EpochKind::exposure, transfer.peer, transfer.window, rank, stretch}, place.partner->number + 1};
      return {{EpochKind::access, rank, transfer.window, no_id, stretch}, place.number + 1};
    case WindowEpochs::Place::fence:
      return {{EpochKind::fence, put ? transfer.peer : rank, transfer.window, no_id, stretch}, place.number + 1};
    case WindowEpochs::Place::outside:
      break;
  }
  return {};
}

void synchronise(const Event& event, std::uint32_t rank, LocationEnds& ends, std::vector<EpochTicket>& closed) {
  if (event.window == no_id) return;
  const std::uint32_t stretch = ends.gaps().stretch();
  switch (event.kind) {
    case EventKind::rma_collective_end:
      if (event.rma_operation == RmaOperation::fence)
        closed.push_back(
            {{EpochKind::fence, rank, event.window, no_id, stretch}, ends.epochs().fence(event.window, stretch) + 1});
      break;
    case EventKind::lock_request:
      ends.epochs().lock(event.window, event.peer, true, stretch);
      break;
    case EventKind::lock_release:
      closed.push_back({{EpochKind::lock, rank, event.window, event.peer, stretch},
                        ends.epochs().locks_taken(event.window, event.peer, stretch)});
      ends.epochs().lock(event.window, event.peer, false, stretch);
      break;
    case EventKind::group_sync: {
      const auto& result = ends.group_sync(event);
      if (result.epoch == nullptr) break;
      if (result.change == EpochChange::closes_access)
        closed.push_back({{EpochKind::access, rank, event.window, no_id, stretch},
                          ends.epochs().accesses_closed(event.window, stretch)});
      if (result.change != EpochChange::closes_exposure) break;
      for (const auto& origin : result.epoch->partners)
        closed.push_back({{EpochKind::exposure, rank, event.window, origin.rank, stretch}, origin.number + 1U});
      break;
    }
    default:
      break;
  }
}

}  // namespace mora::trace
