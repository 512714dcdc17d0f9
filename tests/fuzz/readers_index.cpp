// The index of a trace, damaged: the view must be as one that was made without it. The input is a list of changes of
// the index of a sample trace: two bytes say where (in 16ths of the file and an offset), one what is put there; 0xFF
// as the first byte cuts the file off instead. An odd number of changes: the header's own hash is mended, so that what
// it says is believed.
#include <xxhash.h>

#include <cstring>

#include "base/file.h"
#include "broken_promise.h"
#include "readers.h"
#include "support/scratch_directory.h"
#include "trace/index/index_format.h"
#include "trace/readers/text/text_source.h"
#include "trace/view/view.h"

namespace mora::fuzz {
namespace {

constexpr std::string_view sample = R"(mora-trace 1
unit s
P0 5-7 MPI_Win_post w0 group 1; 30-45 MPI_Win_wait w0
P1 8-9 MPI_Win_start w0 group 0; 12-16 MPI_Put w0 to 0; 18-22 MPI_Get w0 to 0; 38-42 MPI_Win_complete w0
P0 50-60 MPI_Send to 1 bytes 8 tag 3
P1 55-65 MPI_Recv from 0 bytes 8 tag 3
)";

trace::ViewOptions kept_in(const std::string& file) {
  trace::ViewOptions options;
  options.index_file = file;
  options.fingerprint = 7;
  options.keep_from = 0;
  options.workers = 1;
  return options;
}

std::vector<std::string> contents(const trace::View& view) {
  std::vector<std::string> events;
  for (trace::Position p = 1; p <= view.size(); ++p) {
    const trace::ViewEvent e = view.event(p);
    std::string text = std::to_string(e.time) + ' ' + std::to_string(static_cast<int>(e.type));
    for (const std::uint64_t number : {std::uint64_t{e.location}, e.enter, e.link, e.forward, e.bytes,
                                       std::uint64_t{e.region}, std::uint64_t{e.peer}, e.ordinal})
      text += ' ' + std::to_string(number);
    for (const trace::Position open : view.stack(e.location, p)) text += " s" + std::to_string(open);
    for (const trace::Position sent : view.queue(p)) text += " q" + std::to_string(sent);
    events.push_back(std::move(text));
  }
  for (trace::LocationId l = 0; l < view.definitions().locations.size(); ++l)
    events.push_back(std::to_string(view.count_on(l)) + ' ' + std::to_string(view.last_on(l, view.size())));
  return events;
}

}  // namespace

bool read_index(std::span<const std::byte> bytes) {
  static const auto source = [] {
    auto read = trace::read_trace_text(sample);
    require(read.has_value(), "the sample can be read");
    return std::move(*read);
  }();
  static const ScratchDirectory directory(ScratchDirectory::in_memory);
  static const std::string sound = [] {
    const trace::ViewOptions options = kept_in(directory.path("sound"));
    require(trace::View::make(*source, options).has_value(), "the sample can be viewed");
    return read_file(options.index_file).value_or("");
  }();
  static const std::vector<std::string> expected = [] {
    const auto view = trace::View::make(*source, trace::RmaModel::extended);
    return contents(**view);
  }();
  require(sound.size() > 4096, "the index was kept");
  std::string index = sound;
  const bool mend = bytes.size() % 2 == 1;
  while (bytes.size() >= 3 && !index.empty()) {
    const auto first = static_cast<std::size_t>(bytes[0]), second = static_cast<std::size_t>(bytes[1]);
    const std::size_t at = ((first % 64) * 64 * index.size() / 4096 + (first / 64) * 256 + second) % index.size();
    if (first == 0xFF)
      index.resize(at);
    else
      index[at] = static_cast<char>(bytes[2]);
    bytes = bytes.subspan(3);
  }
  if (mend && index.size() >= sizeof(trace::IndexHeader)) {
    const std::uint64_t hash = XXH3_64bits(index.data(), offsetof(trace::IndexHeader, hash_of_header));
    std::memcpy(index.data() + offsetof(trace::IndexHeader, hash_of_header), &hash, sizeof hash);
  }
  const trace::ViewOptions options = kept_in(directory.write("damaged", index));
  const auto view = trace::View::make(*source, options);
  require(view.has_value(), "a damaged index is made anew");
  const bool same = contents(**view) == expected;
  require(same, "a damaged index changes no event");
  return same;
}

}  // namespace mora::fuzz
