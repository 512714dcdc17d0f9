#include "trace/readers/alog/alog_record.h"

#include "base/numbers/read_number.h"
#include "base/text/trimmed.h"
#include "trace/readers/text/lexer.h"

namespace mora::trace::alog {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

/// Takes the next word off `rest`.
std::string_view word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const std::string_view found = rest.substr(0, std::min(rest.find_first_of(blanks), rest.size()));
  rest.remove_prefix(found.size());
  return found;
}

}  // namespace

bool is_comment(std::string_view line) {
  const std::string_view content = trimmed(line, blanks);
  return content.empty() || content.front() == '#';
}

std::optional<Record> parse(std::string_view line) {
  Record r;
  for (std::int64_t* field : {&r.type, &r.process, &r.task, &r.data, &r.cycle}) {
    if (!read_number(word(line), *field)) return {};
  }
  std::string why;
  if (!text::parse_time(word(line), 1000, r.timestamp, why)) return {};
  r.comment = trimmed(line, blanks);
  return r;
}

bool two_numbers(std::string_view text, std::int64_t& first, std::int64_t& second) {
  return read_number(word(text), first) && read_number(word(text), second);
}

std::string_view region_name(std::string_view comment) {
  std::string_view rest = comment;
  const std::string_view first = word(rest);
  rest = trimmed(rest, blanks);
  return first.find(':') != std::string_view::npos && !rest.empty() ? rest : comment;
}

}  // namespace mora::trace::alog
