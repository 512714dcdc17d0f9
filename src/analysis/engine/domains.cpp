#include "analysis/checks/rule_domain.h"
#include "analysis/engine/domain.h"
#include "analysis/patterns/passive_target/domain.h"

namespace mora::analysis {

const std::vector<Domain>& domains() {
  static const std::vector<Domain> all = {passive_target_domain(), rma_rules_domain()};
  return all;
}

}  // namespace mora::analysis
