/// The scanner of hostfiles and rankfiles: longest match, as in mpirun's flex scanners (Open MPI 4.1,
/// orte/util/hostfile and orte/mca/rmaps/rank_file). Cost: linear in the text.
#include "predict/placement/openmpi/words/host_tokens.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace mora::predict::openmpi {

namespace {

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

template <class Belongs>
std::size_t length_of(std::string_view text, const Belongs& belongs) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

/// Length of "a.b.c.d" at the beginning; 0 if there is none.
std::size_t address_length(std::string_view text) {
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t digits = std::min<std::size_t>(length_of(text.substr(at), digit), 3);
    if (digits == 0) return 0;
    at += digits;
    if (part < 3 && (at >= text.size() || text[at++] != '.')) return 0;
  }
  return at;
}

/// Length of a name with dots, perhaps with "user@" before it.
std::size_t dotted_length(std::string_view text) {
  std::size_t user = 0;
  if (!text.empty() && alphanumeric(text.front())) {
    const std::size_t name = length_of(text, [](char c) { return alphanumeric(c) || c == '_' || c == '-'; });
    if (name < text.size() && text[name] == '@') user = name + 1;
  }
  for (const std::size_t begin : {user, std::size_t{0}}) {
    const std::string_view rest = text.substr(begin);
    if (const std::size_t address = address_length(rest); address != 0 && digit(rest.front())) return begin + address;
    if (rest.empty() || std::isalpha(static_cast<unsigned char>(rest.front())) == 0) continue;
    return begin + length_of(rest, [](char c) { return alphanumeric(c) || c == '_' || c == '-' || c == '.'; });
  }
  return 0;
}

}  // namespace

std::vector<HostToken> host_tokens(std::string_view text, HostText kind) {
  using Kind = HostToken::Kind;
  const std::string_view further = kind == HostText::hostfile ? "_-,:*@" : "_-,;:*@";
  std::vector<HostToken> tokens;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  std::size_t at = 0;
  // behind these nothing has to be looked for: the cost stays linear in texts of nothing but beginnings
  const std::size_t last_newline = text.rfind('\n'), last_quote = text.rfind('"');
  const auto add = [&](Kind token, std::size_t length) {
    tokens.push_back(
        {token, std::string(text.substr(at, length)), line, static_cast<std::uint32_t>(at - line_begin + 1)});
    at += length;
  };
  const auto end_line = [&](std::size_t newline) {
    tokens.push_back({Kind::newline, "", line, static_cast<std::uint32_t>(newline - line_begin + 1)});
    ++line;
    at = line_begin = newline + 1;
  };
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const char c = rest.front();
    if (c == '\n') {
      end_line(at);
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      ++at;
      continue;
    }
    if (c == '#' || rest.starts_with("//")) {
      if (last_newline == std::string_view::npos || last_newline < at) {  // a comment needs the end of its line
        add(Kind::error, 1);
      } else {
        end_line(text.find('\n', at));
      }
      continue;
    }
    if (rest.starts_with("/*")) {
      tokens.push_back({Kind::newline, "", line, static_cast<std::uint32_t>(at - line_begin + 1)});
      const std::size_t end = text.find("*/", at + 2);
      for (; at < std::min(end, text.size()); ++at) {
        if (text[at] == '\n') {
          ++line;
          line_begin = at + 1;
        }
      }
      at = std::min(at + 2, text.size());
      tokens.push_back({Kind::newline, "", line, static_cast<std::uint32_t>(at - line_begin + 1)});
      continue;
    }
    if (c == '"') {
      add(at == last_quote ? Kind::error : Kind::quoted, at == last_quote ? 1 : rest.find('"', 1) + 1);
      continue;
    }
    if (c == '=') {
      add(Kind::equals, 1);
      continue;
    }
    if (c == '+' && rest.size() > 1) {
      const std::size_t digits = length_of(rest.substr(2), digit);
      const bool empty_nodes = kind == HostText::hostfile && (rest[1] == 'e' || rest[1] == 'E');
      if ((rest[1] == 'n' && digits != 0) || empty_nodes) {
        std::size_t length = 2 + (empty_nodes ? 0 : digits);
        if (empty_nodes && rest.size() > 2 && rest[2] == ':') {
          if (const std::size_t count = length_of(rest.substr(3), digit); count != 0) length = 3 + count;
        }
        add(Kind::relative, length);
        continue;
      }
    }
    const std::size_t number = length_of(rest, digit);
    const std::size_t word =
        length_of(rest, [&](char w) { return alphanumeric(w) || further.find(w) != std::string_view::npos; });
    const std::size_t dotted = dotted_length(rest);
    if (const std::size_t longest = std::max(word, dotted); longest == 0) {
      add(Kind::error, 1);
    } else {
      add(longest == number ? Kind::number : Kind::word, longest);
    }
  }
  tokens.push_back({Kind::end, "", line, static_cast<std::uint32_t>(at - line_begin + 1)});
  return tokens;
}

tl::unexpected<Error> bad_token(const std::string& file, const HostToken& token, std::string expected) {
  const bool nothing = token.kind == HostToken::Kind::end || token.kind == HostToken::Kind::newline;
  return fail(ErrorKind::unreadable,
              nothing ? "the line ends too early" : fmt::format("'{}' is not understood", token.text),
              fmt::format("{}:{}:{}", file, token.line, token.column), std::move(expected));
}

}  // namespace mora::predict::openmpi
