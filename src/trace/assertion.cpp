#include "trace/assertion.h"
#include "base/numbers/read_number.h"

namespace mora::trace {
namespace {

struct Name {
  std::uint32_t bit;
  std::string_view name;
};
constexpr Name names[] = {{assertion_nocheck, "nocheck"},
                          {assertion_nostore, "nostore"},
                          {assertion_noput, "noput"},
                          {assertion_noprecede, "noprecede"},
                          {assertion_nosucceed, "nosucceed"}};

std::optional<std::uint32_t> part_bits(std::string_view part) {
  for (const Name& n : names)
    if (n.name == part) return n.bit;
  std::uint32_t number = 0;
  return read_number(part, number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string assertion_text(std::uint32_t bits) {
  std::string text;
  const auto add = [&](std::string_view part) { (text += text.empty() ? "" : "+") += part; };
  for (const Name& n : names) {
    if ((bits & n.bit) != 0) add(n.name);
    bits &= ~n.bit;
  }
  if (bits != 0 || text.empty()) add(std::to_string(bits));
  return text;
}

std::optional<std::uint32_t> parse_assertion(std::string_view text) {
  std::uint32_t bits = 0;
  while (true) {
    const auto plus = text.find('+');
    const auto part = part_bits(text.substr(0, plus));
    if (!part) return std::nullopt;
    bits |= *part;
    if (plus == std::string_view::npos) return bits;
    text.remove_prefix(plus + 1);
  }
}

}  // namespace mora::trace
