#include "trace/intervals/region_classes.h"

#include <fnmatch.h>

#include <algorithm>
#include <unordered_map>

#include "trace/mpi_function.h"

namespace mora::trace {
namespace {

RegionClass class_of_call(const Region& region) {
  switch (call_class(region)) {
    case CallClass::send:
    case CallClass::send_receive:
    case CallClass::send_start:
      return RegionClass::sends;
    case CallClass::receive:
    case CallClass::receive_start:
    case CallClass::wait_single:
    case CallClass::wait_multiple:
    case CallClass::test:
      return RegionClass::receives;
    default:
      return function_of(region).id == FunctionId::pcontrol ? RegionClass::control : RegionClass::call;
  }
}

}  // namespace

std::vector<RegionClass> region_classes(const std::vector<Region>& regions, const std::vector<std::string>& patterns) {
  std::vector<RegionClass> classes;
  classes.reserve(regions.size());
  for (const Region& region : regions) {
    const auto matches = [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), region.name.c_str(), 0) == 0;
    };
    if (region.kind == RegionKind::mpi)
      classes.push_back(class_of_call(region));
    else if (region.role == RegionRole::interval)
      classes.push_back(RegionClass::interval);
    else
      classes.push_back(std::any_of(patterns.begin(), patterns.end(), matches) ? RegionClass::chosen_interval
                                                                               : RegionClass::plain);
  }
  return classes;
}

std::vector<std::string> unmatched_patterns(const std::vector<Region>& regions,
                                            const std::vector<std::string>& patterns) {
  std::vector<std::string> unmatched;
  for (const std::string& pattern : patterns) {
    const auto classes = region_classes(regions, {pattern});
    if (std::find(classes.begin(), classes.end(), RegionClass::chosen_interval) == classes.end())
      unmatched.push_back(pattern);
  }
  return unmatched;
}

std::vector<RegionId> interval_sites(const std::vector<Region>& regions) {
  std::vector<RegionId> sites;
  sites.reserve(regions.size());
  std::unordered_map<std::string, RegionId> known;
  for (RegionId id = 0; id < regions.size(); ++id) {
    const Region& region = regions[id];
    const std::string name = region.kind == RegionKind::mpi ? std::string(1, '\0') : region.name;
    std::string key = name + '\n' + region.call_site_file + '\n' + std::to_string(region.call_site_line);
    sites.push_back(known.try_emplace(std::move(key), id).first->second);
  }
  return sites;
}

}  // namespace mora::trace
