/// Both are gathered as bytes: each process sends its own in its first partition's buffer, all add up the same
/// way.
#include "analysis/engine/process_facts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace mora::analysis {

namespace {

/// One buffer of this process in its first partition's place, nothing in the others'.
std::vector<Buffer> once(Buffer buffer, const Carrier& carrier) {
  std::vector<Buffer> own(carrier.local_partitions().size());
  own.front() = std::move(buffer);
  return own;
}

void pack(const QualityRow& row, BufferWriter& out) {
  out.put(row.count);
  out.put(row.severity);
  for (const std::string* text : {&row.kind, &row.where, &row.what, &row.remedy}) out.put_text(*text);
}

QualityRow unpack(BufferReader& in) {
  QualityRow row;
  row.count = in.take<std::uint64_t>();
  row.severity = in.take<Severity>();
  for (std::string* text : {&row.kind, &row.where, &row.what, &row.remedy}) *text = in.take_text();
  return row;
}

}  // namespace

Result<void> check_reading(const Reading& reading, Carrier& carrier) {
  Buffer buffer;
  BufferWriter out(buffer);
  out.put(reading.read);
  out.put(reading.unreadable);
  out.put(reading.location);
  out.put(reading.error.kind);
  for (const std::string* text : {&reading.error.what, &reading.error.where, &reading.error.why, &reading.error.help}) {
    out.put_text(*text);
  }
  MORA_TRY(const auto all, carrier.gather_to_all(once(std::move(buffer), carrier)));
  Reading whole;
  for (const Buffer& part : all) {
    if (part.empty()) continue;
    BufferReader in(part);
    whole.read += in.take<std::uint64_t>();
    whole.unreadable += in.take<std::uint64_t>();
    const auto location = in.take<std::uint32_t>();
    Error error;
    error.kind = in.take<ErrorKind>();
    for (std::string* text : {&error.what, &error.where, &error.why, &error.help}) *text = in.take_text();
    if (location < whole.location) {
      whole.location = location;
      whole.error = std::move(error);
    }
  }
  if (whole.read != 0 && whole.read == whole.unreadable) return tl::unexpected(whole.error);
  return {};
}

Result<DataQuality> gather_quality(const DataQuality& found, const DataQuality& before, const DataQuality& after,
                                   Carrier& carrier) {
  const auto rows = found.rows();
  Buffer buffer;
  BufferWriter out(buffer);
  out.put(static_cast<std::uint64_t>(rows.size()));
  for (const QualityRow& row : rows) pack(row, out);
  for (const QualityRow& row : after.since(before).rows()) pack(row, out);
  MORA_TRY(const auto all, carrier.gather_to_all(once(std::move(buffer), carrier)));
  DataQuality result = before;
  std::map<std::pair<std::string, std::string>, QualityRow> while_reading;
  for (const Buffer& part : all) {
    if (part.empty()) continue;
    BufferReader in(part);
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) result.add(unpack(in));
    while (!in.empty()) {
      QualityRow row = unpack(in);
      const auto [place, is_new] = while_reading.try_emplace({row.kind, row.where}, row);
      if (!is_new && row.count > place->second.count) place->second = std::move(row);
    }
  }
  for (const auto& [where, row] : while_reading) result.add(row);
  return result;
}

}  // namespace mora::analysis
