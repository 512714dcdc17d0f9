#include "base/data_quality.h"

#include "base/names.h"

#include <algorithm>
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

const char* to_string(Severity severity) {
  static constexpr const char* names[] = {"info", "warning", "loss"};
  return name_in(names, severity);
}

}  // namespace mora
