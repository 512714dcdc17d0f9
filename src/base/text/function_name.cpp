#include "base/text/function_name.h"

#include <algorithm>
#include <iterator>

namespace mora {
namespace {

constexpr std::string_view anonymous = "(anonymous namespace)", operator_word = "operator";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// How many characters an operator's sign has, which may look like brackets; 0: it has none (operator new, operator
/// bool).
std::size_t length_of_sign(std::string_view text) {
  static constexpr std::string_view signs[] = {"<<=", ">>=", "<=>", "->*", "()", "[]", "<<",
                                               ">>",  "<=",  ">=",  "->",  "<",  ">"};
  const auto* found =
      std::find_if(std::begin(signs), std::end(signs), [&](std::string_view sign) { return text.starts_with(sign); });
  return found == std::end(signs) ? 0 : found->size();
}

/// Behind the bracket that closes the one at `at`; its end if there is none.
std::size_t behind_brackets(std::string_view name, std::size_t at) {
  int depth = 0;
  for (; at < name.size(); ++at) {
    if (name.substr(at).starts_with("->")) {
      ++at;
      continue;
    }
    const char c = name[at];
    depth += c == '<' || c == '(' || c == '{' || c == '[' ? 1 : 0;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && --depth == 0) return at + 1;
  }
  return at;
}

}  // namespace

std::string without_parameters(std::string_view name) {
  const std::size_t bracket = name.find('(');
  if (bracket == name.npos || (bracket + 1 < name.size() && is_digit(name[bracket + 1]))) return std::string(name);
  std::string found;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    const char c = name[at];
    if (rest.starts_with(operator_word) && (at == 0 || !is_word(name[at - 1])) &&
        (rest.size() == operator_word.size() || !is_word(rest[operator_word.size()]))) {
      const std::size_t sign = length_of_sign(rest.substr(operator_word.size()));
      // Of those without such a sign the words belong to the name: "operator new", "operator bool".
      const std::size_t length =
          operator_word.size() + (sign != 0 ? sign : rest.substr(operator_word.size()).find('('));
      found += rest.substr(0, length);
      at = length > rest.size() ? name.size() : at + length;
    } else if (rest.starts_with(anonymous)) {
      found += anonymous;
      at += anonymous.size();
    } else if (c == '(') {
      at = behind_brackets(name, at);
      const bool is_around = name.substr(at).starts_with("::") || name.substr(at).starts_with(" const::");
      if (!is_around) break;
      at = name.find("::", at);
    } else if (c == '<') {
      at = behind_brackets(name, at);
    } else if (c == '{') {  // {lambda(int)#1}
      const std::size_t end = behind_brackets(name, at);
      const std::string_view inside = name.substr(at, end - at);
      const std::size_t open = inside.find('('), close = inside.rfind(')');
      found += open == inside.npos || close == inside.npos
                   ? std::string(inside)
                   : std::string(inside.substr(0, open)).append(inside.substr(close + 1));
      at = end;
    } else if (c == ' ') {
      if (!rest.starts_with(" <")) found.clear();  // the result
      ++at;
    } else {
      found += c;
      ++at;
    }
  }
  return found.empty() ? std::string(name) : found;
}

}  // namespace mora
