/// A statement is a line: words, with comments taken out. Labels hold within their rank, and may be used before the
/// line that has them.
#include "trace/readers/goal/goal_text.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/numbers/read_number.h"

namespace mora::trace {

namespace {

bool is_goal_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_goal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_goal_word(char c) { return is_goal_letter(c) || is_goal_digit(c) || c == '_'; }
constexpr std::uint64_t largest_goal_amount = 1'000'000'000'000'000;

/// Words, signs, and "\n" at the end of a line; empty at the end of the text.
class GoalWords {
 public:
  explicit GoalWords(std::string_view text) : rest_(text) { next(); }
  std::string_view word() const { return word_; }
  std::uint64_t line() const { return line_; }  ///< of the word
  bool is(std::string_view what) const { return word_ == what; }
  bool take(std::string_view what) {
    if (!is(what)) return false;
    next();
    return true;
  }
  void next() {
    if (word_ == "\n") ++line_;
    skip();
    if (rest_.empty()) {
      word_ = {};
      return;
    }
    std::size_t length = 1;
    if (is_in_goal_word(rest_[0]) || rest_[0] == '-')
      while (length < rest_.size() && is_in_goal_word(rest_[length])) ++length;
    word_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  /// Whether a comment has no end.
  bool is_cut() const { return cut_; }

 private:
  void skip() {
    while (!rest_.empty()) {
      if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r') {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const auto end = rest_.find("*/", 2);
        cut_ |= end == std::string_view::npos;
        const auto length = end == std::string_view::npos ? rest_.size() : end + 2;
        line_ += static_cast<std::uint64_t>(std::count(rest_.begin(), rest_.begin() + static_cast<long>(length), '\n'));
        rest_.remove_prefix(length);
      } else {
        return;
      }
    }
  }
  std::string_view rest_, word_;
  std::uint64_t line_ = 1;
  bool cut_ = false;
};

std::string shown_word(std::string_view word) {
  if (word.empty()) return "the end of the file";
  if (word == "\n") return "the end of the line";
  return fmt::format("\"{}\"", word.substr(0, 40));
}

bool is_goal_label(std::string_view word) { return !word.empty() && is_goal_letter(word[0]); }

class GoalParser {
 public:
  GoalParser(std::string_view text, const std::string& name, std::uint64_t most)
      : words_(text), name_(name), most_(most) {}

  Result<void> run(const std::function<void(std::uint32_t)>& ranks,
                   const std::function<Result<void>(std::uint32_t, const GoalSchedule&)>& schedule) {
    skip_lines();
    if (!words_.take("num_ranks")) return expected("num_ranks");
    MORA_TRY(const std::uint64_t count, number("the number of ranks", most_));
    if (count == 0) return wrong("there are no ranks");
    ranks_ = static_cast<std::uint32_t>(count);
    seen_.resize(count);
    ranks(ranks_);
    for (skip_lines(); !words_.is(""); skip_lines()) {
      const std::uint64_t line = words_.line();
      if (!words_.take("rank")) return expected("rank");
      MORA_TRY(const std::uint64_t rank, number("a rank", ranks_ - 1));
      if (seen_[rank]) return goal_error(name_, line, fmt::format("rank {} stands here a second time", rank));
      seen_[rank] = true;
      skip_lines();
      if (!words_.take("{")) return expected("{");
      MORA_CHECK_OK(block());
      MORA_CHECK_OK(schedule(static_cast<std::uint32_t>(rank), schedule_));
    }
    if (words_.is_cut()) return wrong("a comment has no end");
    return {};
  }

 private:
  tl::unexpected<Error> wrong(std::string why) const { return goal_error(name_, words_.line(), std::move(why)); }
  tl::unexpected<Error> expected(std::string_view what) const {
    return wrong(fmt::format("{} is expected instead of {}", what, shown_word(words_.word())));
  }
  void skip_lines() {
    while (words_.take("\n")) {
    }
  }

  Result<std::uint64_t> number(std::string_view what, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto word = words_.word();
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_goal_digit)) return expected(what);
    if (!read_number(word, value) || value > most)
      return wrong(fmt::format("{} is {}, and at most {} is possible", what, word.substr(0, 40), most));
    words_.next();
    return value;
  }

  /// The operations of a rank, to behind the bracket.
  Result<void> block() {
    schedule_ = {};
    labels_.clear();
    named_.clear();
    processor_.reset();
    for (skip_lines(); !words_.take("}"); skip_lines()) {
      if (words_.is("")) return wrong(words_.is_cut() ? "a comment has no end" : "the rank has no closing bracket");
      MORA_CHECK_OK(statement());
      if (!words_.is("\n") && !words_.is("}") && !words_.is("")) return expected("the end of the line");
    }
    for (const Named& one : named_) {
      const auto later = labels_.find(one.later), earlier = labels_.find(one.earlier);
      if (later == labels_.end() || earlier == labels_.end())
        return goal_error(name_, one.line,
                          fmt::format("no operation of this rank has the label {}",
                                      later == labels_.end() ? one.later : one.earlier));
      schedule_.requirements.push_back({later->second, earlier->second, one.complete});
    }
    return {};
  }

  Result<void> statement() {
    GoalOperation o;
    o.line = words_.line();
    const std::string_view first = words_.word();
    if (first != "send" && first != "recv" && first != "calc") {
      if (!is_goal_label(first)) return expected("an operation, a label or a closing bracket");
      words_.next();
      if (words_.is("requires") || words_.is("irequires")) {
        const bool complete = words_.is("requires");
        words_.next();
        if (!is_goal_label(words_.word())) return expected("a label");
        named_.push_back({first, words_.word(), o.line, complete});
        words_.next();
        return {};
      }
      if (!words_.take(":")) return expected("\":\", requires or irequires");
      if (!labels_.emplace(first, static_cast<std::uint32_t>(schedule_.operations.size())).second)
        return wrong(fmt::format("the label {} is given a second time", first));
      o.label = first;
    }
    if (words_.take("calc")) {
      o.kind = GoalOperation::calc;
      MORA_TRY(o.amount, number("the nanoseconds of calc", largest_goal_amount));
      MORA_CHECK_OK(options(o, false));
    } else if (words_.is("send") || words_.is("recv")) {
      MORA_CHECK_OK(message(o));
    } else {
      return expected("send, recv or calc");
    }
    schedule_.operations.push_back(std::move(o));
    return {};
  }

  Result<void> message(GoalOperation& o) {
    o.kind = words_.is("send") ? GoalOperation::send : GoalOperation::receive;
    const bool sends = o.kind == GoalOperation::send;
    words_.next();
    std::string_view size = words_.word();
    const bool has_unit = size.ends_with("b");
    if (has_unit) size.remove_suffix(1);
    if (size.empty() || !std::all_of(size.begin(), size.end(), is_goal_digit)) return expected("a size, like 8b,");
    if (!read_number(size, o.amount) || o.amount > largest_goal_amount)
      return wrong(fmt::format("the message has {} bytes, and at most {} are possible", size.substr(0, 40),
                               largest_goal_amount));
    words_.next();
    if (!has_unit && !words_.take("b")) return expected("b, for bytes,");
    if (!words_.take(sends ? "to" : "from")) return expected(sends ? "to" : "from");
    if (!sends && words_.is("-1"))
      return wrong("it receives from any rank: which message that is depends on times that the schedule does not hold");
    MORA_TRY(const std::uint64_t peer, number("a rank", ranks_ - 1));
    o.peer = static_cast<std::uint32_t>(peer);
    return options(o, true);
  }

  /// tag, cpu and nic, each at most once.
  Result<void> options(GoalOperation& o, bool is_message) {
    std::uint64_t cpu = 0, nic = 0;
    bool has_tag = false, has_cpu = false, has_nic = false;
    for (;;) {
      if (is_message && !has_tag && words_.take("tag")) {
        has_tag = true;
        if (words_.is("-1"))
          return wrong("it has any tag: which message that is depends on times that the schedule does not hold");
        MORA_TRY(const std::uint64_t tag, number("the tag", INT32_MAX));
        o.tag = static_cast<std::int32_t>(tag);
      } else if (!has_cpu && words_.take("cpu")) {
        has_cpu = true;
        MORA_TRY(cpu, number("the processor", 255));
      } else if (is_message && !has_nic && words_.take("nic")) {
        has_nic = true;
        MORA_TRY(nic, number("the network interface", 255));
      } else {
        break;
      }
    }
    if (!processor_) processor_ = cpu;
    if (*processor_ != cpu)
      return wrong(fmt::format("the rank computes on the processors {} and {} at once, and a rank is one thread here",
                               *processor_, cpu));
    if (nic != 0) return wrong(fmt::format("it uses the network interface {}, and a rank has one here", nic));
    return {};
  }

  struct Named {
    std::string_view later, earlier;
    std::uint64_t line = 0;
    bool complete = true;
  };
  GoalWords words_;
  const std::string& name_;
  const std::uint64_t most_;
  std::uint32_t ranks_ = 0;
  std::vector<bool> seen_;
  GoalSchedule schedule_;  ///< of the rank at hand, as all below
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::vector<Named> named_;
  std::optional<std::uint64_t> processor_;
};

}  // namespace

Result<void> parse_goal(std::string_view text, const std::string& name, std::uint64_t most,
                        const std::function<void(std::uint32_t)>& ranks,
                        const std::function<Result<void>(std::uint32_t, const GoalSchedule&)>& schedule) {
  return GoalParser(text, name, most).run(ranks, schedule);
}

bool begins_as_goal(std::string_view text) {
  GoalWords words(text);
  while (words.take("\n")) {
  }
  return words.is("num_ranks");
}

tl::unexpected<Error> goal_error(const std::string& name, std::uint64_t line, std::string why) {
  return fail(ErrorKind::unreadable, "cannot read the GOAL schedule", fmt::format("{}:{}", name, line), std::move(why),
              "docs/user/predict.md says what is read of such files");
}

}  // namespace mora::trace
