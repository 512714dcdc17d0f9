#include "trace/readers/paraver/syntax/header.h"

namespace mora::trace::paraver {
namespace {

constexpr std::string_view magic = "#Paraver";

/// Steps through the header line; what goes wrong first is kept.
class Steps {
 public:
  explicit Steps(std::string_view text) : text_(text) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool number(std::uint64_t& value) {
    const std::size_t start = at_;
    for (value = 0; peek() >= '0' && peek() <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(peek() - '0'), &value))
        return false;
    }
    return at_ > start;
  }
  std::string_view word() {
    const std::size_t start = at_;
    while (peek() >= 'a' && peek() <= 'z') ++at_;
    return text_.substr(start, at_ - start);
  }
  /// Moves behind the next `)` and its colon; the date itself is not checked.
  bool skip_date() {
    const std::size_t open = text_.find('(', at_);
    const std::size_t close = text_.find("):", at_);
    if (open == std::string_view::npos || close == std::string_view::npos) return false;
    at_ = close + 2;
    return true;
  }
  std::size_t position() const { return at_; }
  void go_back(std::size_t position) { at_ = position; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool parse_unit(std::string_view unit, std::int64_t& tick) {
  if (unit == "ns")
    tick = 1;
  else if (unit == "us")
    tick = 1000;
  else if (unit == "ms")
    tick = 1000000;
  else if (unit == "s" || unit == "sec")
    tick = 1000000000;
  else
    return false;
  return true;
}

bool parse_nodes(Steps& steps, Header& header) {
  if (!steps.number(header.nodes) || header.nodes > most_nodes) return false;
  if (!steps.skip('(')) return true;
  std::uint64_t cpus = 0;
  do {
    if (!steps.number(cpus)) return steps.skip(')');  // `0()`
  } while (steps.skip(','));
  return steps.skip(')');
}

bool parse_application(Steps& steps, Header& header, std::uint64_t& all_tasks) {
  std::uint64_t count = 0;
  if (!steps.number(count) || !steps.skip('(')) return false;
  std::vector<Task> tasks;
  do {
    Task task;
    if (!steps.number(task.threads) || !steps.skip(':') || !steps.number(task.node)) return false;
    if (++all_tasks > most_tasks) return false;
    tasks.push_back(task);
  } while (steps.skip(','));
  header.applications.push_back(std::move(tasks));
  return steps.skip(')') && header.applications.back().size() == count;
}

/// `,communicators` if that follows, and the separator before the next application.
void skip_separator(Steps& steps) {
  const std::size_t start = steps.position();
  std::uint64_t communicators = 0;
  if (steps.skip(',')) {
    const std::size_t behind = steps.position();
    if (!steps.number(communicators) || steps.peek() == '(')
      steps.go_back(behind);
    else
      steps.skip(':');
    return;
  }
  if (!steps.skip(':')) steps.go_back(start);
}

}  // namespace

bool is_paraver(std::string_view start) { return start.starts_with(magic); }

Result<Header> parse_header(std::string_view line, const std::string& file) {
  Header header;
  const auto wrong = [&](const std::string& why) {
    return fail(
        ErrorKind::unreadable, "cannot read the Paraver trace", file + " line 1", why,
        "the first line must read: #Paraver (date at time):duration_ns:nodes(cpus):applications:tasks(threads:node,…)");
  };
  if (!is_paraver(line)) return wrong("the file does not begin with '#Paraver'");
  Steps steps(line);
  if (!steps.skip_date()) return wrong("the date in parentheses is missing");
  if (!steps.number(header.duration)) return wrong("the duration is no number");
  if (steps.skip('_') && !parse_unit(steps.word(), header.tick))
    return wrong("the unit of time is not ns, us, ms or s");
  if (!steps.skip(':') || !parse_nodes(steps, header)) return wrong("the list of nodes cannot be read");
  std::uint64_t applications = 0, tasks = 0;
  if (!steps.skip(':') || !steps.number(applications) || applications == 0 || !steps.skip(':'))
    return wrong("the number of applications cannot be read");
  for (std::uint64_t a = 0; a < applications; ++a) {
    if (!parse_application(steps, header, tasks))
      return wrong(tasks > most_tasks
                       ? "there are more than a million tasks"
                       : "the list of tasks of application " + std::to_string(a + 1) + " cannot be read");
    skip_separator(steps);
  }
  return header;
}

}  // namespace mora::trace::paraver
