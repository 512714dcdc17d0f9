/// What `mora map` asks for on a terminal (Kotomatas 2018, 5), and the errors if there is none.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <fmt/format.h>

#include "cli/map/modes.h"
#include "predict/placement/line_words.h"

namespace mora::cli {

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

Result<std::uint32_t> number_or_ask(const MapWords& words, const std::string& option, const char* question,
                                    const char* what) {
  if (words.has(option)) return number_option(words, option, 0);
  const std::string help = fmt::format("give --hostfile F or --{} N", option);
  if (::isatty(STDIN_FILENO) != 1) {
    return fail(ErrorKind::usage, fmt::format("the number of {} is not known", what),
                fmt::format("mora map --mode {}", name_of(words.mode)),
                "neither a hostfile nor an option says it, and there is no terminal to ask on", help);
  }
  for (std::string answer;;) {
    std::fputs(question, stderr);
    if (!std::getline(std::cin, answer))
      return fail(ErrorKind::usage, fmt::format("the number of {} is not known", what), "", "", help);
    const auto line = predict::words_of(answer);
    if (const auto number = line.size() == 1 ? predict::whole_number(line[0].text) : std::nullopt;
        number && *number > 0)
      return *number;
    std::fputs("It must be a whole number of at least 1.\n", stderr);
  }
}

}  // namespace mora::cli
