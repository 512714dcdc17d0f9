// A Paraver trace is up to three files. In one input they follow each other, divided by the lines "--- pcf" and "---
// row".
#include <string_view>

#include "promised_stream.h"
#include "readers.h"
#include "trace/readers/paraver/paraver_source.h"

namespace mora::fuzz {
namespace {

/// Cuts what follows the line `divider` off the text; the line itself is dropped.
std::string_view take_behind(std::string_view& text, std::string_view divider) {
  const std::size_t at = text.find(divider);
  if (at == std::string_view::npos) return {};
  const std::string_view behind = text.substr(at + divider.size());
  text = text.substr(0, at + 1);  // its line end belongs to the line before
  return behind;
}

}  // namespace

bool read_paraver(std::span<const std::byte> bytes) {
  std::string_view prv(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view row = take_behind(prv, "\n--- row\n");
  const std::string_view pcf = take_behind(prv, "\n--- pcf\n");
  const auto source = trace::read_paraver(prv, pcf, row, "trace.prv");
  if (!source) return false;
  require(trace::is_paraver(prv), "what is read has its header");
  PromisedStream::read_all(**source);
  return true;
}

}  // namespace mora::fuzz
