/// SLURM's lists of nodes: `a,n[1-4,7],rack[01-02]x[0-1]`. Numbers keep their leading zeros; several brackets in one
/// name count like digits, the last one fastest. Pure, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict::slurm {

constexpr std::size_t most_hosts = 1 << 20;

/// Names in order, repeated ones too. `name` is for messages. Errors (usage): name:column, what was expected; more than
/// most_hosts.
Result<std::vector<std::string>> expand_hostlist(std::string_view list, const std::string& name);

}  // namespace mora::predict::slurm
