#include "support/otf2/sample_archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "archive/archive_writer.h"
#include "base/file.h"

namespace mora::trace {

using archive::Attributes;

namespace {

/// libotf2 clears a chunk for every file that it opens, and the anchor says how large: the least it allows, so that the
/// thousands of damaged copies cost a tenth.
void shrink_chunks(const std::string& anchor) {
  constexpr std::size_t sizes_at = 12;  // of the event and the definition chunks, eight bytes each
  auto bytes = read_file(anchor);
  const std::string written("\0\0\x10\0\0\0\0\0\0\0@\0\0\0\0\0", 16);
  const std::string least("\0\0\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0", 16);
  if (!bytes || bytes->compare(sizes_at, written.size(), written) != 0) throw std::runtime_error("another anchor file");
  if (!write_file_atomically(anchor, bytes->replace(sizes_at, least.size(), least)))
    throw std::runtime_error("no anchor file");
}

}  // namespace

SampleArchive::SampleArchive() {
  auto made = archive::ArchiveWriter::create(directory_, {"sample", "machine", ""});
  if (!made) throw std::runtime_error(made.error().text());
  auto& writer = **made;

  constexpr std::uint64_t base = 1000000;
  const auto write = [&](std::uint32_t rank, const std::vector<archive::ClockOffset>& offsets, const auto& events) {
    auto location = writer.open_location(rank);
    if (!location) throw std::runtime_error(location.error().text());
    events(*location);
    const auto closed = writer.close_location(*location, offsets);
    if (!closed) throw std::runtime_error(closed.error().text());
  };
  write(0, {{base, 0, 0}}, [&](archive::LocationWriter& l) {
    l.program_begin(base);
    l.enter(base + 100, 0);
    l.send(base + 100, 1, 0, 7, 80);
    l.leave(base + 140, 0);
    l.enter(base + 200, 1);
    l.collective_begin(base + 200);
    l.collective_end(base + 260, OTF2_COLLECTIVE_OP_BCAST, 0, 1, 0, 8, {});
    l.leave(base + 260, 1);
    l.enter(base + 300, 2);
    Attributes received;
    received.has_received = true;
    received.received = 64;
    l.put(base + 300, 0, 1, 80, 1, received);
    l.leave(base + 340, 2);
    l.enter(base + 400, 3);
    l.rma_collective_begin(base + 400);
    l.rma_complete(base + 450, 0, 1, false);
    Attributes assertion;
    assertion.assertion = 2;
    l.rma_collective_end(base + 450, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_MEMORY, 0, assertion);
    l.leave(base + 450, 3);
    l.enter(base + 500, 4);
    l.send_request(base + 500, 1, 0, 7, 16, 5);
    l.leave(base + 510, 4);
    l.enter(base + 520, 5);
    l.send_complete(base + 560, 5);
    l.leave(base + 560, 5);
    l.program_end(base + 900, 0);
  });
  // Offsets −1000 at its start and −1010 at its end: stamps are ahead by that much.
  write(1, {{base + 1000, -1000, 0}, {base + 1910, -1010, 0}}, [&](archive::LocationWriter& l) {
    l.program_begin(base + 1000);
    l.enter(base + 1152, 6);
    l.receive(base + 1172, 0, 0, 7, 80);
    l.leave(base + 1172, 6);
    l.enter(base + 1200, 1);
    l.collective_begin(base + 1200);
    l.collective_end(base + 1250, OTF2_COLLECTIVE_OP_BCAST, 0, 1, 16, 8, {});
    l.leave(base + 1250, 1);
    l.enter(base + 1400, 3);
    l.rma_collective_begin(base + 1400);
    l.rma_collective_end(base + 1460, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_MEMORY, 0, {});
    l.leave(base + 1460, 3);
    l.enter(base + 1500, 7);
    l.receive_request(base + 1500, 9);
    l.leave(base + 1505, 7);
    l.enter(base + 1530, 5);
    l.receive_complete(base + 1565, 0, 0, 7, 16, 9);
    l.leave(base + 1565, 5);
    l.program_end(base + 1910, 0);
  });
  archive::Definitions d;
  d.first_stamp = base;
  d.last_stamp = base + 900;
  d.nodes = {"hostA"};
  d.processes = {{0, {}}, {0, {}}};
  const auto region = [&](const char* name, std::uint32_t line) {
    d.regions.push_back({name, line ? "sample.c" : "", line, ""});
  };
  region("MPI_Send", 20);
  region("MPI_Bcast", 21);
  region("MPI_Put", 22);
  region("MPI_Win_fence", 23);
  region("MPI_Isend", 24);
  region("MPI_Wait", 25);
  region("MPI_Recv", 30);
  region("MPI_Irecv", 0);
  d.groups = {{0, 1}};
  d.communicators.push_back({"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id});
  d.windows.push_back({"window 0", 0});
  const auto closed = writer.close(d);
  if (!closed) throw std::runtime_error(closed.error().text());
  shrink_chunks(directory_ + "/traces.otf2");
}

}  // namespace mora::trace
