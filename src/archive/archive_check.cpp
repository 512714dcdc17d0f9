#include "archive/archive_check.h"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <map>
#include <memory>

#include "base/file.h"

namespace mora::archive {
namespace {

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType,
                              std::uint64_t events, OTF2_LocationGroupRef) {
  (*static_cast<std::map<std::uint64_t, std::uint64_t>*>(user))[self] = events;
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

Result<void> check_archive(const std::string& directory, const std::map<std::uint64_t, std::uint64_t>& event_counts) {
  const auto path = directory + "/traces.otf2";
  auto damaged = [&](std::string where, std::string why) {
    const std::string obstacle = obstacle_to_writing(path, OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
    return fail(ErrorKind::unreadable, "the archive just written does not read back", std::move(where),
                obstacle.empty() ? std::move(why) : obstacle, "check the disk; the journals are kept");
  };
  OTF2_Reader* reader = OTF2_Reader_Open(path.c_str());
  if (reader == nullptr) return damaged(path, "libotf2 cannot open it");
  std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)> closer(reader, OTF2_Reader_Close);
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
    return damaged(path, "libotf2 cannot set it up");

  std::map<std::uint64_t, std::uint64_t> locations;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t read = 0;
  if (definitions == nullptr || OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) != OTF2_SUCCESS)
    return damaged(directory + "/traces.def", "the definitions are damaged");
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);

  for (const auto& [location, written] : event_counts) {
    const auto it = locations.find(location);
    if (it == locations.end() || it->second != written)
      return damaged(directory + "/traces.def",
                     fmt::format("location {} is not defined with its {} events", location, written));
    OTF2_Reader_SelectLocation(reader, location);
  }
  OTF2_Reader_OpenEvtFiles(reader);
  for (const auto& [location, written] : event_counts) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
    std::uint64_t count = 0;
    const bool good = events != nullptr && OTF2_Reader_ReadAllLocalEvents(reader, events, &count) == OTF2_SUCCESS;
    if (events != nullptr) OTF2_Reader_CloseEvtReader(reader, events);
    if (!good || count != written)
      return damaged(fmt::format("{}/traces/{}.evt", directory, location),
                     fmt::format("{} of {} events can be read", count, written));
  }
  OTF2_Reader_CloseEvtFiles(reader);
  return {};
}

}  // namespace mora::archive
