/// Parses --distribution (Slurm, srun(1)): up to three levels separated by ':', then ",Pack" or ",NoPack"; '*' is the
/// default.
#include "predict/placement/slurm/distribution.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/text/did_you_mean.h"
#include "predict/placement/line_words.h"

namespace mora::predict::slurm {

namespace {

/// `word`: what is not known, if it is one word.
tl::unexpected<Error> wrong(std::string_view text, std::string why, const std::string& word = {},
                            const std::vector<std::string>& known = {}) {
  const std::string guess = did_you_mean(word, known);
  return fail(
      ErrorKind::usage, fmt::format("'{}' is not a distribution", text), "--distribution", std::move(why),
      (guess.empty() ? std::string() : fmt::format("did you mean {}? ", guess)) +
          "{*|block|cyclic|arbitrary|plane=N}[:{*|block|cyclic|fcyclic}[:{*|block|cyclic|fcyclic}]][,{Pack|NoPack}]");
}

std::vector<std::string> pieces_of(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return pieces;
}

Result<std::optional<InsideNode>> inside_named(std::string_view text, const std::string& word, const char* which) {
  if (word == "*") return std::nullopt;
  if (word == "block") return InsideNode::block;
  if (word == "cyclic") return InsideNode::cyclic;
  if (word == "fcyclic") return InsideNode::fcyclic;
  return wrong(text, fmt::format("'{}' is not known {}", word, which), word, {"block", "cyclic", "fcyclic"});
}

const char* name_of(InsideNode inside) {
  return inside == InsideNode::block ? "block" : inside == InsideNode::cyclic ? "cyclic" : "fcyclic";
}

}  // namespace

Result<Distribution> parse_distribution(std::string_view text) {
  Distribution distribution;
  const std::vector<std::string> parts = pieces_of(text, ',');
  const std::vector<std::string> levels = pieces_of(parts[0], ':');
  if (levels.size() > 3) return wrong(text, "there are three levels: nodes, sockets, cores");
  const std::string& first = levels[0];
  if (first == "*" || first == "block") {
    distribution.nodes = AcrossNodes::block;
  } else if (first == "cyclic") {
    distribution.nodes = AcrossNodes::cyclic;
  } else if (first == "arbitrary") {
    distribution.nodes = AcrossNodes::arbitrary;
  } else if (first.starts_with("plane")) {
    const auto size = first.starts_with("plane=") ? whole_number(std::string_view(first).substr(6)) : std::nullopt;
    if (!size || *size == 0) return wrong(text, "plane needs its size, plane=N");
    if (levels.size() > 1) return wrong(text, "nothing can be combined with plane");
    distribution.nodes = AcrossNodes::plane;
    distribution.plane_size = *size;
  } else {
    return wrong(text, fmt::format("'{}' is not known for nodes", first), first,
                 {"block", "cyclic", "arbitrary", "plane=N"});
  }
  if (levels.size() > 1) {
    MORA_TRY(const auto sockets, inside_named(text, levels[1], "for sockets"));
    distribution.sockets = sockets.value_or(InsideNode::cyclic);
  }
  distribution.cores = distribution.sockets;
  if (levels.size() > 2) {
    MORA_TRY(const auto cores, inside_named(text, levels[2], "for cores"));
    distribution.cores = cores.value_or(distribution.sockets);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] != "pack" && parts[i] != "nopack")
      return wrong(text, fmt::format("'{}' is neither Pack nor NoPack", parts[i]), parts[i], {"pack", "nopack"});
    distribution.pack = parts[i] == "pack";
  }
  if (distribution.pack && distribution.nodes != AcrossNodes::block) return wrong(text, "Pack goes with block only");
  return distribution;
}

std::string text_of(const Distribution& distribution) {
  std::string nodes;
  switch (distribution.nodes) {
    case AcrossNodes::block:
      nodes = "block";
      break;
    case AcrossNodes::cyclic:
      nodes = "cyclic";
      break;
    case AcrossNodes::plane:
      return fmt::format("plane={}", distribution.plane_size);
    case AcrossNodes::arbitrary:
      nodes = "arbitrary";
      break;
  }
  return fmt::format("{}:{}:{}{}", nodes, name_of(distribution.sockets), name_of(distribution.cores),
                     distribution.pack ? ",Pack" : "");
}

}  // namespace mora::predict::slurm
