#include "trace/readers/otf2/definitions/call_paths.h"

#include <map>

#include "archive/definitions.h"

namespace mora::trace::otf2 {

CallerContexts contexts_of_callers(const DefinitionRecords& records) {
  CallerContexts callers;
  for (const auto& [ref, name] : records.context_properties) {
    const ContextRecord* const context = records.contexts.find(ref);
    const std::string* const text = records.strings.find(name);
    if (context != nullptr && text != nullptr && *text == archive::call_path_property)
      callers.emplace(context->region, context->parent);
  }
  return callers;
}

void resolve_callers(const DefinitionRecords& records, const CallerContexts& callers, ArchiveDefinitions& out) {
  std::map<SourcePlace, std::uint32_t> numbers;
  const auto place_of = [&](OTF2_SourceCodeLocationRef ref) {
    const PlaceRecord* const place = records.places.find(ref);
    const std::string* const file = place == nullptr ? nullptr : records.strings.find(place->file);
    if (file == nullptr) return no_id;
    auto& places = out.trace.call_places;
    const auto [known, is_new] = numbers.try_emplace({*file, place->line}, static_cast<std::uint32_t>(places.size()));
    if (is_new) places.push_back(known->first);
    return known->second;
  };
  for (const auto& [ref, context] : records.contexts) {
    const RegionId region = out.regions[context.region];
    if (records.context_properties.find(ref) != nullptr || region == no_id) continue;
    const CallerId parent = out.callers[context.parent];
    out.callers.set(ref, static_cast<CallerId>(out.trace.callers.size()));
    out.trace.callers.push_back({parent, region, place_of(context.place)});
  }
  for (const auto& [region, context] : callers)
    if (const RegionId id = out.regions[region]; id != no_id) out.trace.regions[id].caller = out.callers[context];
}

}  // namespace mora::trace::otf2
