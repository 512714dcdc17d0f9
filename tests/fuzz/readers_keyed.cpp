// Formats that pair messages by keys: Pajé and Chrome JSON.
#include "promised_stream.h"
#include "readers.h"
#include "trace/readers/chrome/chrome_source.h"
#include "trace/readers/paje/paje_source.h"

namespace mora::fuzz {
bool read_paje(std::span<const std::byte> bytes) {
  const auto source = trace::read_paje(text(bytes));
  if (!source) return false;
  PromisedStream::read_all(**source);
  return true;
}

bool read_chrome(std::span<const std::byte> bytes) {
  const auto source = trace::read_chrome(text(bytes));
  if (!source) return false;
  PromisedStream::read_all(**source);
  return true;
}

}  // namespace mora::fuzz
