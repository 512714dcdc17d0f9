/// Text traces in memory for the parser's tests: the lines of each rank, visited in any order.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "predict/pattern/parse/engine.h"
#include "support/pattern/quality_rows.h"

namespace mora::predict {

class LinesSource : public StepSource {
 public:
  /// `ranks[i]`: the lines of rank i, each with its line feed. `order`: which rank is visited first, second …; empty:
  /// 0, 1, 2 …
  explicit LinesSource(const std::vector<std::string>& ranks, std::vector<std::uint32_t> order = {})
      : order_(std::move(order)) {
    if (order_.empty()) {
      order_.resize(ranks.size());
      std::iota(order_.begin(), order_.end(), 0U);
    }
    NameCache cache(names_);
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      auto& steps = all_.emplace_back();
      for (std::size_t at = 0; at < ranks[rank].size();) {
        const std::size_t end = ranks[rank].find('\n', at);
        const std::string_view line = std::string_view(ranks[rank]).substr(at, end - at);
        TextRecord record;
        Error error;
        Step step;
        EXPECT_TRUE(parse_text_record(line, record, error) && to_step(record, rank, cache, step)) << line;
        steps.push_back(step);
        at = end + 1;
      }
    }
    at_.resize(ranks.size());
  }

  std::size_t streams() const override { return order_.size(); }
  std::uint32_t rank(std::size_t stream) const override { return order_[stream]; }
  std::uint32_t world_size() const override { return static_cast<std::uint32_t>(all_.size()); }
  Names& names() override { return names_; }
  void rewind() override { std::fill(at_.begin(), at_.end(), 0); }
  void reorder(const std::vector<std::uint32_t>& order) {
    order_ = order;
    rewind();
  }

  Result<void> read(std::size_t stream, std::size_t limit, std::vector<Step>& steps) override {
    auto& at = at_[stream];
    const auto& all = all_[order_[stream]];
    for (; limit > 0 && at < all.size(); --limit) steps.push_back(all[at++]);
    return {};
  }

 private:
  Names names_;
  std::vector<std::vector<Step>> all_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> at_;
};

struct ParsedText {
  ParseResult result;
  std::map<std::string, std::string> files;
};

inline ParsedText parse_lines(StepSource& source, ParseOptions options = {}) {
  ParsedText parsed;
  options.workers = 1;
  MemorySink sink(parsed.files);
  ParseFiles files(sink, options.form);
  EXPECT_TRUE(parse_steps(source, files, options, parsed.result, {}));
  EXPECT_TRUE(files.finish());
  parsed.files["communicators.txt"] = communicators_text(parsed.result);
  return parsed;
}

inline ParsedText parse_lines(const std::vector<std::string>& ranks, ParseOptions options = {}) {
  LinesSource source(ranks);
  return parse_lines(source, options);
}

/// The lines of a text in alphabetical order: where a vector asks for a set.
inline std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace mora::predict
