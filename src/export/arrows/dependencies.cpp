/// One pass for requests and unlocks; the epochs of post, start, complete and wait and the fences come from
/// trace::Synchronisations, which has matched them already. The list is sorted by the earliest event of each
/// dependency, so the output does not depend on the order in which kinds are collected. Cost: O(n log n) in the number
/// of dependencies.
#include "export/arrows/dependencies.h"

#include "base/names.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mora::exports {

using trace::EarlType;
using trace::Position;

const char* to_string(DependencyKind kind) {
  static constexpr const char* names[] = {"request", "unlock", "post", "complete", "fence"};
  return name_in(names, kind);
}

namespace {

Position earliest(const Dependency& d) {
  return d.kind == DependencyKind::fence ? d.collective.front() : std::min(d.from, d.to);
}

/// Puts that an MPI_Win_unlock releases: in the extended model their ends stand directly before the WUNLOCK of their
/// origin, at its time.
class UnlockedPuts {
 public:
  explicit UnlockedPuts(const trace::View& view) : view_(view) {}

  void arrived(Position put_end) {
    const trace::EventDetail d = *view_.detail(put_end);
    auto& waiting = waiting_[{d.peer, d.window, rank(put_end)}];
    if (!waiting.empty() && view_.time(waiting.back()) != view_.time(put_end)) waiting.clear();
    waiting.push_back(put_end);
  }
  void unlocked(Position wunlock, std::vector<Dependency>& found) {
    const trace::EventDetail d = *view_.detail(wunlock);
    const auto at = waiting_.find({rank(wunlock), d.window, d.peer});
    if (at == waiting_.end()) return;
    const Position enter = view_.enter(wunlock);
    const Position exit = enter == 0 ? 0 : view_.forward(enter);
    for (const Position p : at->second) {
      if (exit != 0 && view_.time(p) == view_.time(wunlock))
        found.push_back({DependencyKind::unlock, d.window, exit, p, {}});
    }
    waiting_.erase(at);
  }

 private:
  std::uint32_t rank(Position p) const { return view_.definitions().locations[view_.location(p)].rank; }

  const trace::View& view_;
  std::map<std::tuple<std::uint32_t, trace::WindowId, std::uint32_t>, std::vector<Position>>
      waiting_;  ///< origin, window, target
};

}  // namespace

std::vector<Dependency> dependencies(const trace::View& view) {
  std::vector<Dependency> found;
  const trace::Synchronisations synchronisations(view);
  UnlockedPuts puts(view);
  for (Position p = 1; p <= view.size(); ++p) {
    const EarlType type = view.type(p);
    if (type == EarlType::get_1ts && view.link(p) != 0)
      found.push_back({DependencyKind::request, view.detail(p)->window, p, view.link(p), {}});
    if (view.model() == trace::RmaModel::basic) continue;
    if (type == EarlType::put_1te) puts.arrived(p);
    if (type == EarlType::wunlock) puts.unlocked(p, found);
  }
  synchronisations.each_pair([&](trace::WindowId window, const trace::Synchronisations::Epoch& access,
                                 const trace::Synchronisations::Epoch& exposure) {
    found.push_back({DependencyKind::post, window, access.open, exposure.open, {}});
    if (access.close != 0 && exposure.close != 0)
      found.push_back({DependencyKind::complete, window, exposure.close, access.close, {}});
  });
  for (trace::WindowId w = 0; w < view.definitions().windows.size(); ++w)
    for (auto& instance : synchronisations.fences(w))
      found.push_back({DependencyKind::fence, w, 0, 0, std::move(instance)});
  std::sort(found.begin(), found.end(), [](const Dependency& a, const Dependency& b) {
    return std::tuple(earliest(a), a.kind, a.from, a.to) < std::tuple(earliest(b), b.kind, b.from, b.to);
  });
  return found;
}

}  // namespace mora::exports
