/// A recursive-descent parser of node lists; the names of one element are the product of its brackets. Refused beyond
/// most_hosts, so that a typing error cannot ask for all memory.
#include "predict/placement/slurm/hostlist.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>

#include "predict/placement/line_words.h"

namespace mora::predict::slurm {

namespace {

constexpr std::size_t longest_name = 255;  // more than DNS allows
constexpr std::size_t most_characters = std::size_t{1} << 24;

class Expansion {
 public:
  Expansion(std::string_view list, const std::string& name) : list_(list), name_(name) {}

  Result<std::vector<std::string>> run() {
    std::vector<std::string> hosts;
    for (bool more = true; more;) {
      MORA_TRY(std::vector<std::string> names, one());
      if (hosts.size() + names.size() > most_hosts) return too_many();
      hosts.insert(hosts.end(), names.begin(), names.end());
      more = at_ < list_.size();
      if (more) ++at_;  // the comma
    }
    return hosts;
  }

 private:
  /// A name with its brackets, up to the comma behind it.
  Result<std::vector<std::string>> one() {
    std::vector<std::string> names = {""};
    const std::size_t begin = at_;
    while (at_ < list_.size() && list_[at_] != ',') {
      if (list_[at_] != '[') {
        const std::size_t end = std::min(list_.find_first_of("[,] ", at_), list_.size());
        const std::string_view text = list_.substr(at_, end - at_);
        if (text.empty()) return wrong("expected a name, a comma or '['");
        MORA_CHECK_OK(check_sizes(names.size(), names.front().size() + text.size()));
        for (std::string& name : names) name += text;
        at_ = end;
        continue;
      }
      MORA_TRY(const std::vector<std::string> numbers, bracket());
      if (names.size() > most_hosts / numbers.size()) return too_many();
      MORA_CHECK_OK(check_sizes(names.size() * numbers.size(), names.front().size() + numbers.back().size()));
      std::vector<std::string> longer;
      for (const std::string& name : names) {
        for (const std::string& number : numbers) longer.push_back(name + number);
      }
      names = std::move(longer);
    }
    if (at_ == begin) return wrong("expected the name of a node");
    return names;
  }

  Result<std::vector<std::string>> bracket() {
    std::vector<std::string> numbers;
    do {
      ++at_;
      MORA_TRY(const std::string_view first, digits());
      std::string_view last = first;
      if (at_ < list_.size() && list_[at_] == '-') {
        ++at_;
        MORA_TRY(last, digits());
      }
      const auto from = whole_number(first), to = whole_number(last);
      if (!from || !to || *from > *to) return wrong("expected a range that ascends");
      if (*to - *from >= most_hosts - numbers.size()) return too_many();
      MORA_CHECK_OK(check_sizes(*to - *from + 1, first.size()));
      for (std::uint64_t number = *from; number <= *to; ++number)
        numbers.push_back(fmt::format("{:0{}}", number, first.size()));
    } while (at_ < list_.size() && list_[at_] == ',');
    if (at_ == list_.size() || list_[at_] != ']') return wrong("expected ',', '-' or ']'");
    ++at_;
    return numbers;
  }

  Result<std::string_view> digits() {
    const std::size_t begin = at_;
    while (at_ < list_.size() && std::isdigit(static_cast<unsigned char>(list_[at_])) != 0) ++at_;
    if (at_ == begin) return wrong("expected a number");
    return list_.substr(begin, at_ - begin);
  }

  tl::unexpected<Error> wrong(std::string expected) const {
    return fail(ErrorKind::usage, fmt::format("'{}' is not a list of nodes", list_),
                fmt::format("{}:{}", name_, at_ + 1), std::move(expected), "an example of such a list: n[1-4,7],m");
  }
  Result<void> check_sizes(std::size_t names, std::size_t characters) const {
    if (characters > longest_name) return wrong(fmt::format("expected names of at most {} characters", longest_name));
    if (names * characters > most_characters) return too_many();
    return {};
  }
  tl::unexpected<Error> too_many() const {
    return fail(ErrorKind::usage, fmt::format("'{}' names too many nodes", list_), name_,
                fmt::format("at most {} are taken", most_hosts));
  }

  std::string_view list_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view list, const std::string& name) {
  return Expansion(list, name).run();
}

}  // namespace mora::predict::slurm
