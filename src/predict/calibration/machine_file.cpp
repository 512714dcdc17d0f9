/// A calibration as a machine model's file (docs/formats/machine.md).
#include <cmath>

#include "base/json/json_writer.h"
#include "base/version.h"
#include "predict/calibration/calibration.h"

namespace mora::predict {

namespace {

/// To so many decimals, so that the file is short.
double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

constexpr int of_ns = 1, of_byte = 5, of_part = 4;  ///< decimals

void write_one_sided(JsonWriter& json, const OneSidedCosts& costs) {
  json.key("one_sided").begin_object().fields("measured_up_to_bytes", costs.measured_up_to);
  for (std::size_t i = 0; i < costs.calls.size(); ++i) {
    if (costs.calls[i].empty()) continue;
    json.key(replay::name_of(static_cast<replay::WindowCall>(i))).begin_array();
    for (const CostRange& range : costs.calls[i]) {
      const MessageLines& l = range.lines;
      json.begin_line_object();
      if (range.up_to_bytes != UINT64_MAX) json.fields("up_to_bytes", range.up_to_bytes);
      json.fields("overhead_ns", rounded(l.send_overhead_ns, of_ns));
      if (l.send_overhead_ns_per_byte > 0)
        json.fields("overhead_ns_per_byte", rounded(l.send_overhead_ns_per_byte, of_byte));
      json.fields("latency_ns", rounded(l.latency_ns, of_ns));
      if (l.ns_per_byte > 0) json.fields("ns_per_byte", rounded(l.ns_per_byte, of_byte));
      json.fields("relative_error", rounded(l.relative_error, of_part)).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_shared(JsonWriter& json, const SharedCosts& shared) {
  json.key("shared").begin_object();
  if (shared.connection_ns_per_byte > 0)
    json.fields("connection_ns_per_byte", rounded(shared.connection_ns_per_byte, of_byte));
  if (shared.memory_ns_per_byte > 0) json.fields("memory_ns_per_byte", rounded(shared.memory_ns_per_byte, of_byte));
  json.end_object();
}

}  // namespace

std::string machine_json(const Calibration& calibration, const CalibrationNames& names) {
  JsonWriter json;
  json.begin_object().fields("format", "mora-machine 2", "name", names.name, "mpi", calibration.library);
  for (const CalibratedClass& c : calibration.classes) {
    json.key(c.name).begin_object().fields("model", "piecewise", "measured_up_to_bytes", c.measured_up_to);
    json.key("segments").begin_array();
    for (const CostRange& range : c.ranges) {
      const MessageLines& l = range.lines;
      json.begin_line_object();
      if (range.up_to_bytes != UINT64_MAX) json.fields("up_to_bytes", range.up_to_bytes);
      json.fields("protocol", l.rendezvous ? "rendezvous" : "eager", "send_overhead_ns", rounded(l.send_overhead_ns, 1),
                  "send_overhead_ns_per_byte", rounded(l.send_overhead_ns_per_byte, 5), "receive_overhead_ns",
                  rounded(l.receive_overhead_ns, 1), "receive_overhead_ns_per_byte",
                  rounded(l.receive_overhead_ns_per_byte, 5), "latency_ns", rounded(l.latency_ns, 1), "ns_per_byte",
                  rounded(l.ns_per_byte, 5));
      if (l.gap_ns > 0 || l.gap_ns_per_byte > 0)
        json.fields("gap_ns", rounded(l.gap_ns, of_ns), "gap_ns_per_byte", rounded(l.gap_ns_per_byte, of_byte));
      json.fields("relative_error", rounded(l.relative_error, 4)).end_object();
    }
    json.end_array();
    if (c.one_sided.any()) write_one_sided(json, c.one_sided);
    json.end_object();
  }
  if (calibration.shared.any()) write_shared(json, calibration.shared);
  json.key("calibration").begin_object();
  json.fields("creator", "mora " + std::string(version()), "command", names.command, "raw_file", names.raw_file, "host",
              calibration.host, "ranks", calibration.ranks, "seed", calibration.seed, "budget_seconds",
              names.budget_seconds);
  json.key("classes").begin_array();
  for (const CalibratedClass& c : calibration.classes)
    json.line("class", c.name, "sizes", c.sizes, "samples", c.samples, "outliers", c.outliers,
              "cross_validated_median_error", rounded(c.median_error, 4), "cross_validated_ninth_decile_error",
              rounded(c.ninth_decile_error, 4), "median_interval", rounded(c.median_interval, 4), "quartile_ratio",
              rounded(c.quartile_ratio, 3));
  json.end_array();
  json.key("quantities").begin_array();
  for (const Quantity& q : calibration.quantities)
    json.line("class", q.class_name, "quantity", q.name, "value", rounded(q.value, of_byte), "low",
              rounded(q.low, of_byte), "high", rounded(q.high, of_byte), "samples", q.samples, "outliers", q.outliers,
              "cross_validated_median_error", rounded(q.median_error, of_part), "cross_validated_ninth_decile_error",
              rounded(q.ninth_decile_error, of_part));
  json.end_array().fields("not_measured", list(calibration.not_measured));
  json.fields("warnings", list(calibration.warnings)).end_object().end_object();
  return json.str() + "\n";
}

}  // namespace mora::predict
