/// A recursive-descent parser: one function per rule of the grammar in condition.h. Errors name the column and what was
/// expected there. The number of levels is bounded, so that no input can exhaust the stack.
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "report/compare/condition/condition.h"

namespace mora::compare {
namespace {

constexpr std::size_t characters_at_most = 4096;
constexpr unsigned levels_at_most = 100;

struct UnitWord {
  std::string_view word;
  NumberUnit unit;
  long double factor;
};
constexpr UnitWord units[] = {
    {"%", NumberUnit::percent, 0.01L},
    {"ns", NumberUnit::seconds, 1},
    {"us", NumberUnit::seconds, 1e3L},
    {"µs", NumberUnit::seconds, 1e3L},
    {"ms", NumberUnit::seconds, 1e6L},
    {"s", NumberUnit::seconds, 1e9L},
    {"min", NumberUnit::seconds, 60e9L},
    {"h", NumberUnit::seconds, 3600e9L},
    {"B", NumberUnit::bytes, 1},
    {"kB", NumberUnit::bytes, 1e3L},
    {"MB", NumberUnit::bytes, 1e6L},
    {"GB", NumberUnit::bytes, 1e9L},
    {"KiB", NumberUnit::bytes, 1024},
    {"MiB", NumberUnit::bytes, 1024.0L * 1024},
    {"GiB", NumberUnit::bytes, 1024.0L * 1024 * 1024},
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Result<Condition> whole() {
    if (text_.size() > characters_at_most)
      return wrong(fmt::format("it has more than {} characters", characters_at_most));
    MORA_TRY(Condition condition, either(0));
    skip_blanks();
    if (place_ < text_.size()) return wrong("\"and\", \"or\" or the end is expected");
    return condition;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& why) const {
    const std::string rest = text_.substr(std::min(place_, text_.size()), 20);
    const bool cut = text_.size() > place_ + 20;
    const std::string where =
        rest.empty() ? "at its end" : fmt::format("column {}: {}{}", place_ + 1, rest, cut ? "…" : "");
    return fail(ErrorKind::usage, "the condition of --fail-if cannot be understood", where, why,
                "for example: 'parallel_efficiency < 0.8 or delta(lost_time) > 5%' (docs/formats/compare.md)");
  }

  char next() const { return place_ < text_.size() ? text_[place_] : '\0'; }
  void skip_blanks() {
    while (place_ < text_.size() && is_blank(text_[place_])) ++place_;
  }
  bool take(char c) {
    skip_blanks();
    if (next() != c) return false;
    ++place_;
    return true;
  }
  static bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == ':'; }
  /// A name from here on, without taking it.
  std::string_view name_here() {
    skip_blanks();
    std::size_t end = place_;
    if (is_letter(next())) {
      while (end < text_.size() && in_name(text_[end])) ++end;
    }
    return std::string_view(text_).substr(place_, end - place_);
  }
  bool take_word(std::string_view word) {
    if (name_here() != word) return false;
    place_ += word.size();
    return true;
  }

  Result<Condition> either(unsigned level) { return chain(level, "or", Condition::Kind::either); }

  Result<Condition> chain(unsigned level, const char* word, Condition::Kind kind) {
    const bool outer = kind == Condition::Kind::either;
    Condition all;
    all.kind = kind;
    do {
      MORA_TRY(Condition part, outer ? chain(level, "and", Condition::Kind::both) : factor(level));
      all.parts.push_back(std::move(part));
    } while (take_word(word));
    if (all.parts.size() > 1) return all;
    Condition only = std::move(all.parts.front());
    return only;
  }

  Result<Condition> factor(unsigned level) {
    if (level >= levels_at_most)
      return wrong(fmt::format("more than {} levels of parentheses and \"not\"", levels_at_most));
    if (take_word("not")) {
      Condition negation;
      negation.kind = Condition::Kind::negation;
      MORA_TRY(Condition part, factor(level + 1));
      negation.parts.push_back(std::move(part));
      return negation;
    }
    if (take('(')) {
      MORA_TRY(Condition inner, either(level + 1));
      if (!take(')')) return wrong("\")\" is expected");
      return inner;
    }
    return test();
  }

  Result<Condition> test() {
    skip_blanks();
    const std::size_t begin = place_;
    Condition test;
    const std::string_view first = name_here();
    if (first.empty()) return wrong("the name of a figure, \"delta(\", \"ratio(\", \"not\" or \"(\" is expected");
    if (first == "delta" || first == "ratio") {
      test.against = first == "delta" ? Against::delta : Against::ratio;
      const std::size_t word = place_;
      place_ += first.size();
      if (take('(')) {
        MORA_CHECK_OK(term(test));
        if (!take(')')) return wrong("\")\" is expected");
      } else {
        skip_blanks();
        place_ = next() == '\0' ? place_ : word;
        return wrong("\"(\" is expected after \"delta\" and \"ratio\"");
      }
    } else {
      MORA_CHECK_OK(term(test));
    }
    MORA_CHECK_OK(comparator(test));
    MORA_CHECK_OK(number(test));
    test.text = text_.substr(begin, place_ - begin);
    return test;
  }

  Result<void> term(Condition& test) {
    const std::string_view name = name_here();
    if (name.empty()) return wrong("the name of a figure is expected");
    test.name = name;
    test.place = place_;
    place_ += name.size();
    if (!take('@')) return {};
    skip_blanks();
    if (next() == '"') {
      const std::size_t end = text_.find('"', place_ + 1);
      if (end == std::string::npos) return wrong("the second \" is missing");
      test.interval = text_.substr(place_ + 1, end - place_ - 1);
      place_ = end + 1;
    } else {
      std::size_t end = place_;
      while (end < text_.size() && !is_blank(text_[end]) &&
             std::string_view("()<>=!\"").find(text_[end]) == std::string_view::npos)
        ++end;
      test.interval = text_.substr(place_, end - place_);
      place_ = end;
    }
    if (test.interval.empty())
      return wrong("an interval is expected after \"@\": a number as 0.2, FILE:LINE or a name");
    return {};
  }

  Result<void> comparator(Condition& test) {
    skip_blanks();
    struct Word {
      std::string_view text;
      Comparator comparator;
    };
    for (const auto& [word, comparator] :
         {Word{"<=", Comparator::less_equal}, Word{">=", Comparator::greater_equal}, Word{"==", Comparator::equal},
          Word{"!=", Comparator::not_equal}, Word{"<", Comparator::less}, Word{">", Comparator::greater}}) {
      if (text_.compare(place_, word.size(), word) != 0) continue;
      place_ += word.size();
      test.comparator = comparator;
      return {};
    }
    if (next() == '=') return wrong("\"==\" is expected, not \"=\"");
    return wrong("a comparison is expected: < <= > >= == !=");
  }

  Result<void> number(Condition& test) {
    skip_blanks();
    std::size_t end = place_;
    if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
    std::size_t digits = 0;
    bool has_point = false;
    for (; end < text_.size() && (is_digit(text_[end]) || (text_[end] == '.' && !has_point)); ++end) {
      if (text_[end] == '.') {
        has_point = true;
      } else {
        ++digits;
      }
    }
    if (digits == 0) return wrong("a number is expected");
    constexpr std::size_t digits_at_most = 40;
    if (digits > digits_at_most) return wrong("the number has too many digits");
    // Our own, since strtold depends on the locale.
    long double value = 0, scale = 1;
    bool behind_point = false;
    for (std::size_t i = place_; i < end; ++i) {
      if (text_[i] == '.') behind_point = true;
      if (!is_digit(text_[i])) continue;
      value = value * 10 + (text_[i] - '0');
      if (behind_point) scale *= 10;
    }
    value = text_[place_] == '-' ? -value / scale : value / scale;
    place_ = end;
    const std::size_t before = place_;
    skip_blanks();
    std::size_t word_end = place_;
    if (next() == '%') {
      ++word_end;
    } else {
      while (word_end < text_.size() && (is_letter(text_[word_end]) || (text_[word_end] & 0x80) != 0)) ++word_end;
    }
    const std::string_view word = std::string_view(text_).substr(place_, word_end - place_);
    if (word.empty() || word == "and" || word == "or") {
      place_ = before;
      test.number = value;
      return {};
    }
    for (const UnitWord& unit : units) {
      if (unit.word != word) continue;
      test.unit = unit.unit;
      test.number = unit.unit == NumberUnit::percent ? value / 100 : value * unit.factor;
      place_ = word_end;
      return {};
    }
    return wrong("the unit is not known; there are % ns us ms s min h B kB MB GB KiB MiB GiB");
  }

  const std::string& text_;
  std::size_t place_ = 0;
};

}  // namespace

Result<Condition> parse_condition(const std::string& text) { return Parser(text).whole(); }

}  // namespace mora::compare
