/// What trace/source.h promises of every location's stream, checked event by event.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broken_promise.h"
#include "trace/source.h"

namespace mora::fuzz {

inline std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PromisedStream : public trace::EventSink {
 public:
  explicit PromisedStream(const trace::Definitions& definitions) : definitions_(definitions) {}

  void on_event(const trace::Event& event) override {
    require(!any_ || event.time >= last_, "times never decrease");
    any_ = true;
    last_ = event.time;
    valid(event.region, definitions_.regions.size(), "region");
    valid(event.comm, definitions_.communicators.size(), "communicator");
    valid(event.window, definitions_.windows.size(), "window");
    valid(event.group, definitions_.groups.size(), "group");
    if (event.kind == trace::EventKind::metric) valid(event.vector, definitions_.metrics.size(), "metric");
    if (event.kind == trace::EventKind::user) {
      valid(event.vector, definitions_.user_types.size(), "user type");
      require(event.request < definitions_.strings.size(), "strings of user events are defined");
    }
    if (event.kind == trace::EventKind::enter) open_.push_back(event.region);
    if (event.kind == trace::EventKind::leave) {
      require(!open_.empty() && open_.back() == event.region, "every leave has its enter");
      open_.pop_back();
    }
  }
  void end() const { require(open_.empty(), "everything entered is left"); }

  /// Reads all locations of a source that promises that they can be read.
  static void read_all(trace::Source& source) {
    for (trace::LocationId location = 0; location < source.definitions().locations.size(); ++location) {
      PromisedStream stream(source.definitions());
      require(source.read_location(location, stream).has_value(), "a location in memory can be read");
      stream.end();
    }
  }

 private:
  static void valid(std::uint32_t id, std::size_t count, const char* what) {
    require(id == trace::no_id || id < count, std::string(what) + " ids are valid indices or no_id");
  }

  const trace::Definitions& definitions_;
  std::vector<trace::RegionId> open_;
  Nanoseconds last_ = 0;
  bool any_ = false;
};

}  // namespace mora::fuzz
