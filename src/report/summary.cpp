/// What the first page of the viewer says in sentences, and the texts of all metrics, as JSON.
#include "base/json/json_writer.h"
#include "cube/labels.h"
#include "report/findings/findings.h"
#include "report/intervals/interval_report.h"
#include "report/losses/functions.h"
#include "report/losses/losses.h"
#include "report/report.h"

namespace mora::report {

std::string summary_json(const ReportData& data, const cube::Cube* cube,
                         const std::vector<analysis::MetricInfo>& infos) {
  JsonWriter json;
  json.begin_object();
  const std::vector<std::string> efficiency =
      cube == nullptr ? std::vector<std::string>{} : efficiency_sentences(*cube, data.quality);
  json.fields("verdict", verdict(data), "efficiency", efficiency, "waiting_ns", data.waiting(), "total_ns",
              data.total_time(), "mpi_ns", data.mpi_time(), "waiting_by_rank_ns", data.waiting_by_rank());
  json.fields("causes", list(data.losses.causes, [&](const LossCause& cause) {
                json.string(loss_text(data, cause) + function_words(cause));
              }));
  json.key("glossary").begin_object();
  for (const analysis::MetricInfo& info : infos) {
    json.key(info.id).object("summary", info.summary, "formula", info.formula, "source", info.source, "diagnosis",
                             info.diagnosis, "advice", info.advice, "wait_state", info.wait_state);
  }
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace mora::report
