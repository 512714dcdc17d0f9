// What stands in an experiment's directory beside the trace: manifest, copies of /proc/PID/maps, reports of dry runs,
// journals that become an archive, side files of the archive.
#include <cstddef>
#include <cstring>

#include "broken_promise.h"
#include "experiment/code/call_sites.h"
#include "experiment/convert/convert.h"
#include "experiment/manifest.h"
#include "input_parts.h"
#include "journal/format.h"
#include "journal_input.h"
#include "predict/pattern/recording/dryrun.h"
#include "readers.h"
#include "report/findings/findings.h"
#include "trace/readers/otf2/probe.h"
#include "trace/readers/otf2/vectors_file.h"

namespace mora::fuzz {

bool read_manifest(std::span<const std::byte> bytes) {
  const std::string text(text_of(bytes));
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  directory.write("manifest.json", text);
  directory.write("traces.otf2", "");
  directory.write("traces.def", "definitions");
  const auto whole = trace::otf2::compare_checksums(directory.path(), trace::otf2::ArchivePart::whole);
  const auto quick = trace::otf2::compare_checksums(directory.path(), trace::otf2::ArchivePart::definitions);
  require(whole == quick, "there are no events: both look at the same files");
  const auto facts = report::manifest_facts(text);
  for (const QualityRow& row : report::manifest_quality(text)) require(!row.kind.empty(), "rows have a kind");
  const auto request = experiment::read_request(directory.path("manifest.json"));
  if (request) {
    require(experiment::write_request(directory.path("run.json"), *request).has_value(), "a request can be written");
    const auto again = experiment::read_request(directory.path("run.json"));
    require(again && again->command.size() == request->command.size(), "a request can be read back");
  }
  return request.has_value() && !facts.empty();
}

bool read_dryrun_report(std::span<const std::byte> bytes) {
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  directory.write("dryrun/1.txt", text_of(bytes));
  const auto reports = predict::read_dry_reports(directory.path());
  if (!reports) return false;
  for (const auto& report : *reports) {
    for (const auto& rank : report.ranks) (void)predict::sentence_about(rank, 300, nullptr);
    (void)predict::divergences({}, report);
  }
  return !reports->empty() && !reports->front().ranks.empty();
}

bool read_module_maps(std::span<const std::byte> bytes) {
  const auto modules = experiment::ModuleMap::parse(text_of(bytes));
  bool any = false;
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{0x401000}, std::uint64_t{0x7f0000001000}, UINT64_MAX})
    any = !modules.find(address).module.empty() || any;
  return any;
}

bool read_convert_journal(std::span<const std::byte> bytes) {
  // Each process of the job is a location of the archive, which costs OTF2 time by the square: large jobs that are
  // believed (2^16 processes; beyond that the size is taken for damage) would be all that this target does.
  std::uint32_t processes = 0;
  if (bytes.size() >= sizeof(mora_file_header))
    std::memcpy(&processes, bytes.data() + offsetof(mora_file_header, world_size), sizeof processes);
  if (processes > 1000 && processes <= 1u << 16) return false;
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  write_journals(directory, "experiment/journal", bytes);
  experiment::ConvertOptions options;
  options.workers = 1;
  const auto converted = experiment::convert_journals(directory.path("experiment"), options);
  return converted.has_value() && !converted->empty();
}

bool read_vectors(std::span<const std::byte> bytes) {
  const auto vectors = trace::otf2::read_vectors(text_of(bytes));
  std::size_t numbers = 0;
  for (const auto& vector : vectors) numbers += vector.size() + 1;
  require(numbers <= bytes.size() / 8, "there is no number that does not stand in the file");
  return !vectors.empty();
}

}  // namespace mora::fuzz
