#include "base/data_quality.h"

#include "base/names.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mora {

void DataQuality::add(QualityRow row) {
  if (row.count == 0) return;
  std::lock_guard lock(mutex_);
  auto key = [](const QualityRow& r) { return std::tie(r.kind, r.where); };
  auto it = std::lower_bound(rows_.begin(), rows_.end(), row, [&](auto& a, auto& b) { return key(a) < key(b); });
  if (it != rows_.end() && key(*it) == key(row)) {
    it->count += row.count;
    // The text must not depend on which thread added its row first.
    it->severity = std::max(it->severity, row.severity);
    if (std::tie(row.what, row.remedy) < std::tie(it->what, it->remedy)) {
      it->what = std::move(row.what);
      it->remedy = std::move(row.remedy);
    }
  } else {
    rows_.insert(it, std::move(row));
  }
}

void DataQuality::add(std::string kind, Severity severity, std::string where, std::uint64_t count, std::string what,
                      std::string remedy) {
  add(QualityRow{std::move(kind), severity, std::move(where), count, std::move(what), std::move(remedy)});
}

void DataQuality::merge(const DataQuality& other) {
  for (auto& row : other.rows()) add(row);
}

DataQuality DataQuality::since(const DataQuality& earlier) const {
  std::map<std::pair<std::string, std::string>, std::uint64_t> known;
  for (const QualityRow& row : earlier.rows()) known[{row.kind, row.where}] = row.count;
  DataQuality added;
  for (QualityRow row : rows()) {
    const auto place = known.find({row.kind, row.where});
    if (place != known.end()) row.count -= place->second;
    added.add(std::move(row));
  }
  return added;
}

std::vector<QualityRow> DataQuality::rows() const {
  std::lock_guard lock(mutex_);
  return rows_;
}

bool DataQuality::empty() const {
  std::lock_guard lock(mutex_);
  return rows_.empty();
}

DataQuality::DataQuality(const DataQuality& other) : rows_(other.rows()) {}

DataQuality& DataQuality::operator=(const DataQuality& other) {
  auto rows = other.rows();
  std::lock_guard lock(mutex_);
  rows_ = std::move(rows);
  return *this;
}

std::string missing_data(const std::vector<QualityRow>& rows) {
  const QualityRow* first = nullptr;
  std::uint64_t count = 0;
  std::set<std::string> places, kinds;
  for (const QualityRow& row : rows) {
    if (row.severity != Severity::loss) continue;
    kinds.insert(row.kind);
    if (first == nullptr) first = &row;
    if (row.kind != first->kind) continue;
    count += row.count;
    if (!row.where.empty()) places.insert(row.where);
  }
  if (first == nullptr) return "";
  std::string text = fmt::format("{} x {}", count, first->what);
  if (!places.empty())
    text += places.size() == 1 ? fmt::format(" ({})", first->where)
                               : fmt::format(" ({} and {} more)", first->where, places.size() - 1);
  if (kinds.size() > 1)
    text += fmt::format(", and {} more kind{} of loss", kinds.size() - 1, kinds.size() > 2 ? "s" : "");
  return text;
}

const char* to_string(Severity severity) {
  static constexpr const char* names[] = {"info", "warning", "loss"};
  return name_in(names, severity);
}

}  // namespace mora
