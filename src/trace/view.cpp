#include "trace/view.h"

#include <algorithm>

#include "trace/view_builder.h"

namespace mora::trace {

const char* to_string(EarlType type) {
  static constexpr const char* names[earl_type_count] = {"ENTER",   "EXIT",    "MPICEXIT", "MPIWCEXIT", "MPIWEXIT",
                                                         "SEND",    "RECV",    "PUT_1TS",  "PUT_1TE",   "GET_1TO",
                                                         "GET_1TS", "GET_1TE", "WLOCK",    "WUNLOCK"};
  const auto index = static_cast<std::size_t>(type);
  return index < earl_type_count ? names[index] : "?";
}

Result<std::unique_ptr<View>> View::make(Source& source, RmaModel model) {
  std::unique_ptr<View> view(new View(source, model));
  MORA_CHECK_OK(ViewBuilder(*view).run());
  return view;
}

std::vector<RegionId> View::call_path(Position position) const {
  std::vector<RegionId> path;
  const ViewEvent& e = event(position);
  Position at = e.type == EarlType::enter ? position : e.enter;
  while (at != 0) {
    path.push_back(event(at).region);
    at = event(at).enter;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace mora::trace
