#include "trace/readers/text/lexer.h"

#include <cctype>

#include "base/interruption.h"
#include "base/numbers/read_number.h"

namespace mora::trace::text {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::vector<Statement> statements(std::string_view content) {
  std::vector<Statement> all;
  Statement current;
  std::uint32_t line = 1;
  std::size_t line_start = 0;
  const auto place = [&](std::size_t at) { return static_cast<std::uint32_t>(at - line_start + 1); };
  const auto finish = [&](std::size_t at) {
    current.end = {content.substr(at, 0), line, place(at)};
    if (!current.words.empty()) all.push_back(std::move(current));
    current = {};
  };
  std::size_t at = 0;
  while (at < content.size()) {
    const char c = content[at];
    if (c == '\n') {
      if (is_interrupted()) break;
      has_read(at + 1 - line_start);
      finish(at++);
      ++line;
      line_start = at;
    } else if (c == ';') {
      finish(at++);
    } else if (c == '#') {
      while (at < content.size() && content[at] != '\n') ++at;
    } else if (is_blank(c)) {
      ++at;
    } else {
      const std::size_t begin = at;
      while (at < content.size() && !is_blank(content[at]) && content[at] != '\n' && content[at] != ';') ++at;
      current.words.push_back({content.substr(begin, at - begin), line, place(begin)});
    }
  }
  has_read(at - line_start);
  finish(at);
  return all;
}

tl::unexpected<Error> syntax_error(const std::string& file, const Word& at, const std::string& why) {
  return fail(ErrorKind::unreadable, "cannot read the trace text",
              file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column), why,
              "docs/formats/trace-text.md describes the language");
}

bool parse_bits(std::string_view text, std::int32_t& number) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return read_number(text, number);
  std::uint32_t bits = 0;
  const bool is_number = read_number(text.substr(2), bits, 16);
  number = static_cast<std::int32_t>(bits);
  return is_number;
}

bool parse_time(std::string_view text, Nanoseconds unit, Nanoseconds& time, std::string& why) {
  why = "expected a time, found '" + std::string(text) + "'";
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative) rest.remove_prefix(1);
  const auto point = rest.find('.');
  const std::string_view whole = rest.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view{} : rest.substr(point + 1);
  if (point != std::string_view::npos && fraction.empty()) return false;
  std::uint64_t units = 0;
  if (!read_number(whole, units)) return false;
  for (const char c : fraction) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  constexpr std::uint64_t limit = std::uint64_t{1} << 61;
  if (units > limit / static_cast<std::uint64_t>(unit)) {
    why = "the time '" + std::string(text) + "' is out of range";
    return false;
  }
  std::uint64_t value = units * static_cast<std::uint64_t>(unit);
  std::uint64_t digit = static_cast<std::uint64_t>(unit);
  for (const char c : fraction) {
    if (digit < 10) {
      why = "the time '" + std::string(text) + "' is finer than a nanosecond";
      return false;
    }
    digit /= 10;
    value += digit * static_cast<std::uint64_t>(c - '0');
  }
  time = negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
  return true;
}

}  // namespace mora::trace::text
