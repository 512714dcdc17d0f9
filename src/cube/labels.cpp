#include "cube/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/function_name.h"
#include "base/text/source_place.h"

namespace mora::cube {

namespace {

constexpr std::size_t labels_at_most = 256;
constexpr std::string_view before_stretch = "compute ", within_stretch = " -> ";

/// Of an address in a function without known lines, "f(int) + 0x20d", the function as people call it.
std::string short_place(std::string_view place) {
  const std::size_t offset = place.rfind(" + 0x");
  return offset == std::string_view::npos ? std::string(place)
                                          : without_parameters(place.substr(0, offset)).append(place.substr(offset));
}

}  // namespace

std::string label(const CallPath& path) {
  if (path.kind == CallPathKind::sampled && !path.called_at.file.empty())
    return path.name + '@' + source_place(path.called_at.file, path.called_at.line);
  if (path.kind != CallPathKind::mpi && path.kind != CallPathKind::interval) return path.name;
  std::string text = place_label(path.name, path.file, path.line);
  if (path.kind == CallPathKind::interval && path.id != 0) text += '#' + std::to_string(path.id);
  return text;
}

std::vector<std::string> labels_of(const Cube& cube, CallPathId call_path, std::size_t most) {
  std::vector<std::string> labels;
  CallPathId c = call_path;
  for (; c < cube.call_paths.size() && labels.size() < most; c = cube.call_paths[c].parent)
    labels.push_back(label(cube.call_paths[c]));
  if (c < cube.call_paths.size()) labels.push_back("…");
  std::reverse(labels.begin(), labels.end());
  return labels;
}

std::string joined(const std::vector<std::string>& labels) { return fmt::format("{}", fmt::join(labels, " > ")); }

std::string joined_below_program(const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t i = labels.size() < 2 ? 0 : 1; i < labels.size(); ++i)
    text += (text.empty() ? "" : " > ") + short_label(labels[i]);
  return text;
}

std::string path_text(const Cube& cube, CallPathId call_path) {
  return joined(labels_of(cube, call_path, labels_at_most));
}

std::optional<Stretch> stretch(std::string_view label) {
  const std::size_t arrow = label.find(within_stretch);
  if (!label.starts_with(before_stretch) || arrow == std::string_view::npos) return std::nullopt;
  label.remove_prefix(before_stretch.size());
  const std::size_t from = arrow - before_stretch.size();
  return Stretch{label.substr(0, from), label.substr(from + within_stretch.size())};
}

LabelParts parts_of(std::string_view label) {
  const std::size_t at = stretch(label) ? std::string_view::npos : label.find('@');
  if (at == std::string_view::npos) return {label, {}};
  return {label.substr(0, at), label.substr(at + 1)};
}

std::string in_brackets(std::string_view label) {
  const auto [name, place] = parts_of(label);
  return place.empty() ? std::string(label) : fmt::format("{} ({})", name, short_place(place));
}

std::string without_instance(std::string_view label) {
  const std::size_t number = label.rfind('#');
  const bool is_number = number != std::string_view::npos && number + 1 < label.size() &&
                         label.find_first_not_of("0123456789", number + 1) == std::string_view::npos;
  return std::string(is_number ? label.substr(0, number) : label);
}

std::string short_label(std::string_view label) {
  const auto of_call = [](std::string_view call) {
    const std::size_t at = call.find('@');
    return at == std::string_view::npos
               ? without_parameters(call)
               : without_parameters(call.substr(0, at)) + "@" + short_place(call.substr(at + 1));
  };
  if (const auto found = stretch(label))
    return fmt::format("{}{}{}{}", before_stretch, of_call(found->from), within_stretch, of_call(found->to));
  return of_call(label);
}

}  // namespace mora::cube
