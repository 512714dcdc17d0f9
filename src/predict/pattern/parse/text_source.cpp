/// Steps from text traces: each stream is a file that is read part by part, so that thousands of files need little
/// memory and few descriptors.
#include <algorithm>
#include <atomic>

#include "predict/pattern/parse/source.h"
#include "predict/pattern/text/files.h"

namespace mora::predict {
namespace {

constexpr std::size_t memory = std::size_t{64} << 20;  ///< of all parts together, if there are not too many files
constexpr std::size_t named_lines = 5;

class TextStepSource : public StepSource {
 public:
  explicit TextStepSource(TextFiles files) : files_(std::move(files)), damage_(files_.files.size()) {
    const std::size_t part =
        std::clamp<std::size_t>(memory / files_.files.size(), std::size_t{1} << 12, std::size_t{1} << 18);
    for (const auto& file : files_.files) {
      total_ += file.size;
      streams_.emplace_back(TextLines(file, static_cast<std::size_t>(std::min<std::uint64_t>(part, file.size + 1))),
                            NameCache(names_));
    }
  }

  std::size_t streams() const override { return streams_.size(); }
  std::uint32_t rank(std::size_t stream) const override { return files_.files[stream].rank; }
  std::uint32_t world_size() const override { return files_.world_size; }
  Names& names() override { return names_; }
  std::uint64_t bytes() const override { return consumed_; }
  std::pair<std::uint64_t, std::uint64_t> progress() const override { return {consumed_, total_}; }

  void rewind() override {
    for (auto& stream : streams_) stream.lines.rewind();
    damage_.assign(damage_.size(), {});
    consumed_ = 0;
  }

  Result<void> read(std::size_t index, std::size_t limit, std::vector<Step>& steps) override {
    auto& stream = streams_[index];
    auto& damage = damage_[index];
    const std::uint32_t own = rank(index);
    const std::uint64_t before = stream.lines.consumed();
    std::string_view line;
    Step step;
    for (std::size_t i = 0; i < limit;) {
      MORA_TRY(const bool more, stream.lines.next(line));
      if (!more) break;
      if (!parse_text_record(line, stream.record, stream.error)) {
        note(stream, damage, index);
        continue;
      }
      if (!to_step(stream.record, own, stream.names, step)) {
        stream.error = Error{
            ErrorKind::unreadable, {}, "column 1", "expected counts and sizes whose product is a number of bytes", {}};
        note(stream, damage, index);
        continue;
      }
      if (stream.record.sender >= 0 && stream.record.sender != own) ++damage.foreign;
      steps.push_back(step);
      ++i;
    }
    damage.cut = stream.lines.cut();
    consumed_ += stream.lines.consumed() - before;
    return {};
  }

  void report(DataQuality& quality) const override {
    quality.merge(files_.quality);
    report_text_damage(damage_, files_.files, quality);
  }

 private:
  struct Stream {
    TextLines lines;
    NameCache names;
    TextRecord record = {};
    Error error = {};
    Stream(TextLines l, NameCache n) : lines(std::move(l)), names(std::move(n)) {}
  };

  void note(const Stream& stream, TextDamage& damage, std::size_t index) const {
    ++damage.lines;
    if (damage.first.size() < named_lines)
      damage.first.push_back(text_place(files_.files[index], stream.lines.number(), stream.error));
  }

  TextFiles files_;
  Names names_;
  std::vector<Stream> streams_;
  std::vector<TextDamage> damage_;
  std::atomic<std::uint64_t> consumed_{0};
  std::uint64_t total_ = 0;
};

}  // namespace

Result<std::unique_ptr<StepSource>> text_step_source(const std::string& directory) {
  MORA_TRY(auto files, find_text_files(directory));
  return std::make_unique<TextStepSource>(std::move(files));
}

}  // namespace mora::predict
