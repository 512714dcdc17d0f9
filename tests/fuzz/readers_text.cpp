#include <string>
#include <string_view>
#include <vector>

#include "broken_promise.h"
#include "readers.h"
#include "report/report.h"
#include "trace/readers/text/text_source.h"

namespace mora::fuzz {
namespace {

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What trace/source.h promises of every location's stream.
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
    if (event.kind == trace::EventKind::enter) open_.push_back(event.region);
    if (event.kind == trace::EventKind::leave) {
      require(!open_.empty() && open_.back() == event.region, "every leave has its enter");
      open_.pop_back();
    }
  }
  void end() const { require(open_.empty(), "everything entered is left"); }

 private:
  static void valid(std::uint32_t id, std::size_t count, const char* what) {
    require(id == trace::no_id || id < count, std::string(what) + " ids are valid indices or no_id");
  }

  const trace::Definitions& definitions_;
  std::vector<trace::RegionId> open_;
  Nanoseconds last_ = 0;
  bool any_ = false;
};

}  // namespace

bool read_trace_text(std::span<const std::byte> bytes) {
  const std::string_view content = text(bytes);
  const bool has_header = trace::is_trace_text(content);
  const auto source = trace::read_trace_text(content);
  if (!source) return false;
  require(has_header, "what is read has its header");
  for (trace::LocationId location = 0; location < (*source)->definitions().locations.size(); ++location) {
    PromisedStream stream((*source)->definitions());
    require((*source)->read_location(location, stream).has_value(), "a location in memory can be read");
    stream.end();
  }
  return true;
}

bool read_findings(std::span<const std::byte> bytes) {
  const auto data = report::read_findings(std::string(text(bytes)), "findings.json");
  if (!data) return false;
  report::text_report(*data, nullptr, {});
  report::short_text(*data);
  report::markdown_report(*data);
  report::findings_json(*data);
  return true;
}

}  // namespace mora::fuzz
