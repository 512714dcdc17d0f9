/// srun's --distribution:
/// `{*|block|cyclic|arbitrary|plane=N}[:{*|block|cyclic|fcyclic}[:{*|block|cyclic|fcyclic}]][,{Pack|NoPack}]`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora::predict::slurm {

enum class AcrossNodes : std::uint8_t { block, cyclic, plane, arbitrary };
enum class InsideNode : std::uint8_t { block, cyclic, fcyclic };

struct Distribution {
  AcrossNodes nodes = AcrossNodes::block;
  std::uint32_t plane_size = 0;
  InsideNode sockets = InsideNode::cyclic;
  InsideNode cores = InsideNode::cyclic;  ///< by default as `sockets`
  bool pack = false;                      ///< with block only
};

/// Errors (usage): an unknown word, plane without a size, plane with anything behind it, Pack with another method than
/// block.
Result<Distribution> parse_distribution(std::string_view text);

/// "cyclic:block:block".
std::string text_of(const Distribution& distribution);

}  // namespace mora::predict::slurm
