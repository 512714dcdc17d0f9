/// The start and the end of an arrow are found by the links of the view (arrows.h says where they stand). A message and
/// a transfer are asked for by either of their events, so an export can walk the events once, in order.
#include "export/arrows/arrows.h"

#include "base/names.h"

#include <algorithm>

namespace mora::exports {

using trace::EarlType;
using trace::ViewEvent;

const char* to_string(ArrowKind kind) {
  static constexpr const char* names[] = {"message", "put", "get", "get request"};
  return name_in(names, kind);
}

Arrows::Arrows(const trace::View& view, const ArrowOptions& options) : view_(view), options_(options) {
  if (options.show == ShowTransfers::logical) synchronisations_ = std::make_unique<trace::Synchronisations>(view);
}

std::optional<Arrow> Arrows::starting_at(Position p) const {
  Arrow a;
  switch (view_.type(p)) {
    case EarlType::send:
      a.kind = ArrowKind::message;
      break;
    case EarlType::put_1ts:
      a.kind = ArrowKind::put;
      break;
    case EarlType::get_1ts:
      a.kind = ArrowKind::get;
      break;
    case EarlType::get_1to:
      if (options_.show != ShowTransfers::closed) return {};
      a.kind = ArrowKind::request;
      break;
    default:
      return {};
  }
  a.start_event = p;
  a.end_event = view_.forward(p);
  if (a.end_event <= p) return {};  // none, or the clocks say that it arrived before it was sent
  const ViewEvent start = view_.event(p);
  a.start = start.time;
  a.end = view_.time(a.end_event);
  a.from = start.location;
  a.to = view_.location(a.end_event);
  a.bytes = a.kind == ArrowKind::request ? 0 : start.bytes;
  a.comm = start.comm;
  a.window = start.window;
  a.tag = a.kind == ArrowKind::message ? start.tag : static_cast<std::int32_t>(a.kind);
  if (a.kind == ArrowKind::get && moved()) make_logical(a);
  return a;
}

std::optional<Arrow> Arrows::ending_at(Position p) const {
  switch (view_.type(p)) {
    case EarlType::recv:
    case EarlType::put_1te:
    case EarlType::get_1te:
    case EarlType::get_1ts:
      return view_.link(p) == 0 ? std::nullopt : starting_at(view_.link(p));
    default:
      return {};
  }
}

void Arrows::make_logical(Arrow& a) const {
  const Position enter = view_.enter(a.end_event);  // of the origin's synchronisation, in the extended model
  const Position exit = enter == 0 ? 0 : view_.forward(enter);
  if (exit == 0) return;
  const auto& locations = view_.definitions().locations;
  const Nanoseconds origin_exit = view_.time(exit);
  const Nanoseconds longest = origin_exit - view_.time(enter);
  const Nanoseconds epsilon = std::min(options_.epsilon, longest);
  a.reduced = epsilon < options_.epsilon;
  Nanoseconds start = origin_exit - epsilon;
  // Passive target: there is no call at the target.
  const Position partner = synchronisations_->partner_exit(exit, locations[a.from].rank);
  if (partner != 0) start = std::min(start, view_.time(partner));
  a.start = std::max(start, a.start);  // never before the transfer was asked for
  a.end = origin_exit;
}

void count_arrows(std::uint64_t outside, std::uint64_t reduced, DataQuality& quality) {
  if (outside > 0)
    quality.add("arrow-outside-window", Severity::info, "", outside,
                "messages, transfers or dependencies that have one end outside of what is shown are not drawn",
                "choose a wider range with --from, --until or --ranks");
  if (reduced > 0)
    quality.add("epsilon-reduced", Severity::info, "", reduced,
                "Gets are drawn shorter than --epsilon, which may not exceed their synchronisation call",
                "nothing to do: only the drawing is affected");
}

}  // namespace mora::exports
