/// Which rules of one-sided communication a trace text breaks, in one line.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "analysis/checks/rma_rule_texts.h"
#include "support/analysis/analyze_text.h"

namespace mora::analysis::test {

/// "double-lock P1>0 MPI_Win_lock 3-4 x1; …", by first time; "&" and the partner's call if it did anything.
inline std::string told(const AnalysisResult& result) {
  std::string text;
  for (const CheckFinding& f : result.checks) {
    text += (text.empty() ? "" : "; ") + std::string(info(f.rule).id) + " P" +
            std::to_string(result.cube.locations[f.call.location].rank);
    if (f.partner_rank != cube::no_id) text += ">" + std::to_string(f.partner_rank);
    text += " " + result.cube.call_paths[f.call.call_path].name + " " + std::to_string(f.call.begin) + "-" +
            std::to_string(f.call.end) + " x" + std::to_string(f.instances);
    if (f.partner.location != cube::no_id) {
      text += " & " + result.cube.call_paths[f.partner.call_path].name + " " + std::to_string(f.partner.begin);
    }
  }
  return text;
}

/// With 1, 2, 3 and 5 partitions, which must agree.
inline std::string broken(const std::string& body) {
  const std::string one = told(analyse_text(body, 1).result);
  for (const unsigned partitions : {2U, 3U, 5U}) EXPECT_EQ(told(analyse_text(body, partitions).result), one);
  return one;
}

}  // namespace mora::analysis::test
