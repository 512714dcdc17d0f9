#include "predict/learning/machine_match.h"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

namespace mora::predict {

namespace {

std::string_view without_number(std::string_view host) {
  host = host.substr(0, host.find('.'));
  const auto end = host.find_last_not_of("0123456789-");
  return end == std::string_view::npos ? host : host.substr(0, end + 1);
}

}  // namespace

std::string machine_digest(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object()) {
    json.erase("name");
    json.erase("calibration");
  }
  const std::string all = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);  // keys are sorted
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

std::string measured_host(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json::json_pointer host("/calibration/host");
  return json.is_object() && json.contains(host) && json[host].is_string() ? json[host].get<std::string>() : "";
}

bool may_be_of(const std::string& host, const std::vector<trace::Node>& nodes) {
  if (host.empty() || std::all_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.name.empty(); }))
    return true;
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& node) { return without_number(node.name) == without_number(host); });
}

}  // namespace mora::predict
