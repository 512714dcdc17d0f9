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

void resolve_callers(const DefinitionRecords& records, const CallerContexts& callers, const RefTable& regions,
                     Definitions& out) {
  std::unordered_map<OTF2_CallingContextRef, CallerId> numbers;
  const auto number_of = [&](OTF2_CallingContextRef ref) {
    const auto found = numbers.find(ref);
    return found == numbers.end() ? no_id : found->second;
  };
  for (const auto& [ref, context] : records.contexts) {
    const RegionId region = regions[context.region];
    if (records.context_properties.find(ref) != nullptr || region == no_id) continue;
    const CallerId parent = number_of(context.parent);
    numbers.emplace(ref, static_cast<CallerId>(out.callers.size()));
    out.callers.push_back({parent, region});
  }
  for (const auto& [region, context] : callers)
    if (const RegionId id = regions[region]; id != no_id) out.regions[id].caller = number_of(context);
}

}  // namespace mora::trace::otf2
