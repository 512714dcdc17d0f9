#include "launcher/options.h"

#include "base/text/source_place.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace mora::launcher {
namespace {

constexpr Option openmpi[] = {
    {"np n c", 1, Role::ranks},
    {"hostfile machinefile", 1, Role::places},
    {"host H", 1, Role::places},
    {"rankfile rf", 1, Role::places},
    {"npernode N", 1, Role::places},
    {"cpus-per-proc cpus-per-rank", 1, Role::places},
    {"cpu-list cpu-set", 1, Role::places},
    {"npersocket", 1, Role::places},
    {"default-hostfile", 1, Role::places},
    {"map-by", 1, Role::places},
    {"rank-by", 1, Role::places},
    {"bind-to", 1, Role::places},
    {"ppr", 1, Role::places},
    {"mca gmca", 2, Role::places},
    {"app am cf cartofile debugger hnp launch-agent max-restarts max-vm-size ompi-server output-filename path "
     "personality "
     "prefix preload-files report-events report-pid report-uri stdin timeout tune wd wdir x xml-file xterm",
     1},
    {"pernode bycore byslot bynode nolocal oversubscribe nooversubscribe bind-to-core bind-to-socket "
     "use-hwthread-cpus"},
    {"allow-run-as-root continuous d debug-devel debug debug-daemons debug-daemons-file disable-recovery "
     "display-allocation display-devel-allocation display-devel-map display-diffable-map display-map display-topo "
     "do-not-launch do-not-resolve dvm enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces "
     "index-argv-by-rank leave-session-attached merge-stderr-to-stdout noprefix novm output-proctable q quiet "
     "report-bindings report-child-jobs-separately report-state-on-timeout s preload-binary set-cwd-to-session-dir "
     "show-progress tag-output timestamp-output tv use-regexp v verbose xml"},
};

constexpr Option mpich[] = {
    {"np n", 1, Role::ranks},
    {"ppn", 1, Role::places},
    {"f hostfile machinefile", 1, Role::places},
    {"hosts host", 1, Role::places},
    {"bind-to", 1, Role::places},
    {"map-by", 1, Role::places},
    {"order-nodes membind topolib rmk perhost", 1, Role::unread},
    {"skip-launch-node", 0, Role::unread},
    {"wdir wd dir path genvlist envlist configfile launcher launcher-exec bootstrap bootstrap-exec iface "
     "outfile-pattern errfile-pattern usize localhost nameserver demux debugger gpus-per-proc "
     "gpu-subdevs-per-proc arch ckpoint-interval ckpoint-prefix ckpoint-num ckpointlib",
     1},
    {"genv env", 2},
    {"genvall genvnone envall envnone l prepend-rank v verbose V version h help info print-all-exitcodes profile "
     "disable-auto-cleanup disable-hostname-propagation enable-x disable-x pmi-port"},
};

constexpr Option srun[] = {
    {"ntasks n", 1, Role::ranks},
    {"nodes N", 1, Role::places},
    {"ntasks-per-node", 1, Role::places},
    {"cpus-per-task c", 1, Role::places},
    {"distribution m", 1, Role::places},
    {"nodelist w", 1, Role::places},
    {"overcommit O", 0, Role::places},
    {"exclusive", 0, Role::places},
    {"account A acctg-freq bb bbf begin b chdir D cluster-constraint clusters M comment container cpu-freq deadline "
     "delay-boot dependency d environment epilog error e export export-file gid gpu-bind gpu-freq gpus G gpus-per-node "
     "gpus-per-socket gpus-per-task gres gres-flags input i jobid job-name J licenses L mail-type mail-user mcs-label "
     "mem mem-bind mem-per-cpu mem-per-gpu mpi msg-timeout network open-mode output partition p power priority profile "
     "prolog propagate qos q reservation signal slurmd-debug switches task-epilog task-prolog time t time-min tmp "
     "tres-bind tres-per-task uid wait W wckey threads T",
     1},
    {"compress disable-status X get-user-env hold H ignore-pbs immediate I interactive kill-on-bad-exit K label l "
     "multi-prog nice no-allocate Z no-kill k no-requeue Q overlap oversubscribe s preserve-env E pty "
     "quit-on-interrupt reboot resv-ports send-libs test-only unbuffered u x11"},
    {"constraint C core-spec S cores-per-socket cpu-bind exclude x extra-node-info B het-group hint mincpus "
     "ntasks-per-core ntasks-per-gpu ntasks-per-socket relative r sockets-per-node thread-spec threads-per-core",
     1, Role::unread},
    {"contiguous spread-job use-min-nodes", 0, Role::unread},
};

/// Of versions of Open MPI other than 4.1, and of PRRTE.
constexpr Option other[] = {
    {"output-directory server-wait-time slot-list tmpdir map-by-socket mpi-type", 1},
    {"prtemca pmixmca", 2},
};

std::span<const Option> table_of(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi:
      return openmpi;
    case LauncherKind::mpich:
      return mpich;
    case LauncherKind::srun:
      return srun;
    case LauncherKind::other:
      return other;
    case LauncherKind::none:
      break;
  }
  return {};
}

}  // namespace

bool names_hold(std::string_view names, std::string_view name) {
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    if (names.substr(at, end - at) == name && !name.empty()) return true;
    at = end + 1;
  }
  return false;
}

const Option* find_option(LauncherKind kind, std::string_view name) {
  const auto table = table_of(kind);
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Option& o) { return names_hold(o.names, name); });
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_of_option(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::size_t words_behind(LauncherKind kind, std::string_view option) {
  const auto name = name_of_option(option);
  if (name.find('=') != name.npos) return 0;
  if (const Option* own = find_option(kind, name)) return own->words;
  if (name.size() == 1 && kind != LauncherKind::other) return 0;  // letters mean something else to each launcher
  for (const auto one : {LauncherKind::other, LauncherKind::openmpi, LauncherKind::mpich, LauncherKind::srun})
    if (const Option* known = find_option(one, name)) return known->words;
  return 0;
}

std::vector<std::string> option_names(LauncherKind kind, bool only_of_ranks) {
  std::vector<std::string> all;
  for (const Option& option : table_of(kind)) {
    if (only_of_ranks && option.role != Role::ranks && option.role != Role::places) continue;
    for (std::size_t at = 0; at < option.names.size();) {
      const std::size_t end = std::min(option.names.find(' ', at), option.names.size());
      all.emplace_back(option.names.substr(at, end - at));
      at = end + 1;
    }
  }
  return all;
}

std::optional<std::string> launcher_name(std::string_view word) {
  word = base_name(word);
  word = word.substr(0, word.find_first_of(".-_"));
  static constexpr std::string_view names[] = {"mpirun", "mpiexec", "orterun", "oshrun", "prun",
                                               "srun",   "jsrun",   "aprun",   "ibrun",  "prterun"};
  if (std::find(std::begin(names), std::end(names), word) == std::end(names)) return std::nullopt;
  return std::string(word);
}

}  // namespace mora::launcher
