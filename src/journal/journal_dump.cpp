// mora_journal_dump FILE: a header line, one line a record, what is damaged. For developers.
#include <fmt/format.h>

#include <cstdio>

#include "journal/journal_reader.h"
#include "journal/journal_text.h"
#include "mpi/function_table.h"

namespace {

std::string name_of_function(unsigned function) {
  if (const char* name = mora_function_name(function); name != nullptr) return name;
  return fmt::format("function#{}", function);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: mora_journal_dump FILE\n");
    return 2;
  }
  mora::DataQuality quality;
  auto journal = mora::journal::Journal::open(argv[1], quality);
  if (!journal) {
    fmt::print(stderr, "{}\n", journal.error().text());
    return mora::exit_code(journal.error().kind);
  }
  const auto& header = journal->header();
  fmt::print(
      "JOURNAL rank={} size={} pid={} run={:016x} clock={:016x} clock_kind={} flavour={} chunk_bytes={} host={} "
      "program={} mpi={}\n",
      header.world_rank, header.world_size, header.pid, header.run_tag, header.clock_id, header.clock_kind,
      header.mpi_flavour, header.chunk_bytes, journal->host(), journal->program(), journal->mpi_library());
  auto cursor = journal->records();
  mora::journal::Record r;
  while (cursor.next(r)) {
    fmt::print("{} begin={} duration={} site={:x} {}\n", r.ordinal, r.begin, r.duration, r.site,
               mora::journal::text_of(r, name_of_function));
  }
  fmt::print("SUMMARY records={} ended={} finalized={} live={} clock_readings={}\n", journal->record_count(),
             journal->ended(), journal->finalized(), journal->used_live_chunk(), journal->clock().size());
  for (const auto& row : quality.rows())
    fmt::print("QUALITY {} {} count={} {}\n", row.kind, mora::to_string(row.severity), row.count, row.what);
  return 0;
}
