// bench_reading DIR N: writes an archive of 2 locations and about N events, reads it in three ways, prints events/s.
// Ways: bare libotf2 with empty callbacks; Mora's reader into an empty sink; a view (read, merged, linked, indexed).
#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "archive/archive_writer.h"
#include "trace/readers/otf2/otf2_source.h"
#include "trace/view/view.h"

namespace {

using namespace mora;

bool write_archive(const std::string& directory, std::uint64_t rounds) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  auto writer = archive::ArchiveWriter::create(directory, {"bench", "machine", ""});
  if (!writer) return false;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto l = (*writer)->open_location(rank);
    if (!l) return false;
    std::uint64_t t = 1000 + rank * 7;
    l->program_begin(t);
    for (std::uint64_t i = 0; i < rounds; ++i) {  // 6 events a round: ping and pong
      const bool first = rank == 0;
      l->enter(t += 50, first ? 0 : 1);
      if (first)
        l->send(t, 1, 0, 1, 64);
      else
        l->receive(t += 60, 0, 0, 1, 64);
      l->leave(first ? t += 60 : t, first ? 0 : 1);
      l->enter(t += 50, first ? 1 : 0);
      if (first)
        l->receive(t += 60, 1, 0, 2, 64);
      else
        l->send(t, 0, 0, 2, 64);
      l->leave(first ? t : t += 60, first ? 1 : 0);
    }
    l->program_end(t + 10, 0);
    if (!(*writer)->close_location(*l, {{1000, 0, 0}})) return false;
  }
  archive::Definitions d;
  d.first_stamp = 1000;
  d.last_stamp = 1000 + rounds * 300;
  d.nodes = {"host"};
  d.processes = {{0, {}}, {0, {}}};
  d.regions = {{"MPI_Send", "b.c", 1, ""}, {"MPI_Recv", "b.c", 2, ""}};
  d.groups = {{0, 1}};
  d.communicators = {{"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id}};
  return (*writer)->close(d).has_value();
}

std::uint64_t bare(const std::string& directory) {
  OTF2_Reader* reader = OTF2_Reader_Open((directory + "/traces.otf2").c_str());
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  std::uint64_t total = 0;
  for (std::uint64_t rank = 0; rank < 2; ++rank) OTF2_Reader_SelectLocation(reader, rank);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReaderCallbacks* c = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      c, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*, OTF2_RegionRef) {
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      c, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*, OTF2_RegionRef) {
        return OTF2_CALLBACK_SUCCESS;
      });
  const auto message = [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*, std::uint32_t,
                          OTF2_CommRef, std::uint32_t, std::uint64_t) { return OTF2_CALLBACK_SUCCESS; };
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, message);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, message);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, rank);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, c, nullptr);
    std::uint64_t n = 0;
    OTF2_Reader_ReadAllLocalEvents(reader, events, &n);
    total += n;
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(c);
  OTF2_Reader_Close(reader);
  return total;
}

class Count : public trace::EventSink {
 public:
  std::uint64_t events = 0;
  void on_event(const trace::Event&) override { ++events; }
};

std::unique_ptr<trace::Source> open(const std::string& directory) {
  trace::Otf2Options options;
  options.trust = true;
  auto source = trace::open_otf2(directory + "/traces.otf2", options);
  if (!source) std::exit(3);
  return std::move(*source);
}

std::uint64_t read_only(const std::string& directory) {
  const auto source = open(directory);
  Count sink;
  for (trace::LocationId l = 0; l < 2; ++l) (void)source->read_location(l, sink);
  return sink.events;
}

std::uint64_t view(const std::string& directory) {
  const auto source = open(directory);
  const auto made = trace::View::make(*source, trace::RmaModel::extended);
  return made ? (*made)->size() : 0;
}

void measure(const char* name, const std::string& directory,
             const std::function<std::uint64_t(const std::string&)>& way) {
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto events = way(directory);
    const std::chrono::duration<double> s = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(events) / s.count());
  }
  fmt::print("{:<28}{:6.2f} M events/s\n", name, best / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string directory = argv[1];
  if (!write_archive(directory, std::strtoull(argv[2], nullptr, 10) / 12)) return 3;
  measure("libotf2, empty callbacks", directory, bare);
  measure("mora, empty sink", directory, read_only);
  measure("mora, whole view", directory, view);
}
