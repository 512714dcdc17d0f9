/// A new domain is one line here.
#include "analysis/engine/domains.h"

#include "analysis/checks/rule_domain.h"
#include "analysis/patterns/domains.h"

namespace mora::analysis {

const std::vector<Domain>& domains() {
  static const std::vector<Domain> all = {nonblocking_domain(), active_target_domain(), passive_target_domain(),
                                          rma_rules_domain(),   thread_domain(),        shmem_domain(),
                                          io_domain()};
  return all;
}

}  // namespace mora::analysis
