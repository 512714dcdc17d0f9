/// Parses the argument of --why from the right, because names of files may contain slashes.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/numbers/read_number.h"
#include "base/text/did_you_mean.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

using analysis::CharacteristicInfo;
using analysis::Interval;
using analysis::IntervalTable;

/// "Potential Sync." and "potential-sync" are "potential_sync".
std::string as_key(std::string_view text) {
  std::string key;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!key.empty() && key.back() != '_') {
      key += '_';
    }
  }
  while (!key.empty() && key.back() == '_') key.pop_back();
  return key;
}

const CharacteristicInfo* characteristic(const std::string& text) {
  const std::string key = as_key(text);
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    if (key == info.key || key == as_key(info.name)) return &info;
  }
  return nullptr;
}

std::string nearest(const std::string& text) {
  const std::string key = as_key(text);
  std::string best;
  std::size_t least = SIZE_MAX;
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    std::size_t distance = edit_distance(key, info.key);
    if (!key.empty() && info.key.find(key) != std::string_view::npos) distance = 1;
    if (distance < least) least = distance, best = info.key;
  }
  return least <= std::max<std::size_t>(1, key.size() / 3) ? best : "";
}

tl::unexpected<Error> unknown_characteristic(const std::string& word, const std::string& where) {
  std::string all;
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    all += (all.empty() ? "" : ", ") + std::string(info.key);
  }
  const std::string near = nearest(word);
  return fail(ErrorKind::usage, "there is no characteristic '" + word + "'", where, "there are " + all,
              near.empty() ? "" : "did you mean " + near + "?");
}

}  // namespace

/// From the right, because a file's name may hold slashes.
Result<Question> parse_question(const std::string& text, const IntervalTable& table) {
  const std::string where = "--why " + text;
  std::string rest = text;
  const auto take_last = [&rest] {
    const std::size_t slash = rest.rfind('/');
    std::string word = slash == std::string::npos ? rest : rest.substr(slash + 1);
    rest = slash == std::string::npos ? "" : rest.substr(0, slash);
    return word;
  };
  std::string word = take_last();
  std::uint32_t rank = 0;
  bool has_rank = false;
  const CharacteristicInfo* info = characteristic(word);
  if (info == nullptr && read_number(word, rank) && !rest.empty()) {
    has_rank = true;
    word = take_last();
    info = characteristic(word);
  } else if (info == nullptr && rest.find('/') != std::string::npos &&
             characteristic(rest.substr(rest.rfind('/') + 1))) {
    return fail(ErrorKind::usage, "'" + word + "' is no rank", where, "a rank is a whole number");
  }
  if (info == nullptr) return unknown_characteristic(word, where);
  Question question;
  question.characteristic = info->id;
  std::string why;
  question.interval = rest.empty() ? 0 : table.find(rest, &why);
  if (question.interval == SIZE_MAX) {
    constexpr std::size_t named = 8;
    std::string there_are;
    for (std::size_t i = 0; i < std::min(named, table.intervals.size()); ++i) {
      there_are += (i == 0 ? "there are " : ", ") + interval_words(table, i);
    }
    if (table.intervals.size() > named) there_are += fmt::format(" and {} more", table.intervals.size() - named);
    return fail(ErrorKind::usage, why, where, there_are, "`mora report --intervals` lists them");
  }
  if (!has_rank) return question;
  const Interval& interval = table.intervals[question.interval];
  std::string ranks;
  for (std::size_t p = 0; p < interval.processes.size(); ++p) {
    if (interval.processes[p].rank == rank) question.process = p;
    if (p < 16) ranks += (p == 0 ? "" : ", ") + std::to_string(interval.processes[p].rank);
  }
  if (question.process) return question;
  return fail(ErrorKind::usage, fmt::format("rank {} did not execute this interval", rank), where,
              "those that did are " + ranks + (interval.processes.size() > 16 ? " …" : ""));
}

}  // namespace mora::report
