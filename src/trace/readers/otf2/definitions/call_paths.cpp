#include "trace/readers/otf2/definitions/call_paths.h"

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
  for (const auto& [ref, context] : records.contexts) {
    const RegionId region = out.regions[context.region];
    if (records.context_properties.find(ref) != nullptr || region == no_id) continue;
    const CallerId parent = out.callers[context.parent];
    out.callers.set(ref, static_cast<CallerId>(out.trace.callers.size()));
    out.trace.callers.push_back({parent, region});
  }
  for (const auto& [region, context] : callers)
    if (const RegionId id = out.regions[region]; id != no_id) out.trace.regions[id].caller = out.callers[context];
}

}  // namespace mora::trace::otf2
