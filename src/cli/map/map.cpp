/// `mora map`: where a launcher would place each rank. The idea and the output format are those of the placement
/// simulator of Kotomatas 2018, 5; Mora adds the rules of Open MPI and Slurm, and the search for a better placement.
#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json/json_document.h"
#include "cli/command/help.h"
#include "cli/command/verbs.h"
#include "cli/map/improve.h"
#include "cli/map/modes.h"
#include "cli/terminal/output.h"

namespace mora::cli {
namespace {

std::uint32_t number_of(const Mapped& mapped, std::uint32_t rank) {
  return mapped.rank_numbers.empty() ? rank : mapped.rank_numbers[rank];
}

std::string lines_of(const Mapped& mapped) {
  if (mapped.rank_numbers.empty()) return placement_text(mapped.placement);
  std::string out;
  const predict::Placement& p = mapped.placement;
  for (std::uint32_t r = 0; r < p.size(); ++r)
    out += fmt::format("{} {}:{}:{}\n", number_of(mapped, r), p.core[r], p.slot[r], p.nodes[p.node_of[r]]);
  return out;
}

std::string placed_text(const MapWords& words, const Mapped& mapped, const std::optional<Improved>& improved) {
  if (words.has("display-map") && !improved) return mapped.job_map;
  return (words.has("verbose") ? mapped.picture : "") + (improved ? improvement_text(*improved) : "") +
         "#####OUTPUT#####\n" + lines_of(mapped);
}

std::string json_of(const MapWords& words, const Mapped& mapped, const std::optional<Improved>& improved) {
  const predict::Placement& p = mapped.placement;
  std::vector<std::uint64_t> ranks(p.nodes.size(), 0);
  for (const std::uint32_t node : p.node_of) ++ranks[node];
  JsonDocument json("mora-map");
  json.fields("mode", name_of(words.mode), "policies", mapped.policies).key("nodes").begin_array();
  for (std::size_t n = 0; n < p.nodes.size(); ++n) {
    json.begin_line_object().fields("name", p.nodes[n], "ranks", ranks[n]);
    if (n < mapped.slots.size()) json.fields("slots", mapped.slots[n]);
    json.end_object();
  }
  json.end_array().key("ranks").begin_array();
  const auto known = [](const std::vector<std::string>& texts, std::uint32_t rank) {
    return rank < texts.size() ? if_any(texts[rank]) : std::nullopt;
  };
  for (std::uint32_t r = 0; r < p.size(); ++r)
    json.line("rank", number_of(mapped, r), "node", p.nodes[p.node_of[r]], "slot", known(p.slot, r), "core",
              known(p.core, r));
  json.end_array();
  if (improved) improvement_json(*improved, json);
  json.fields("notes", list(mapped.notes));
  return json.finish();
}

void note(const std::string& text) { std::fprintf(stderr, "mora: note: %s\n", text.c_str()); }

Result<int> run_map(const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    std::fputs(verb_help(verb_map).c_str(), stderr);
    return exit_code(ErrorKind::usage);
  }
  MORA_TRY(const MapWords words, read_map_words(arguments.positionals));
  if (words.help) {
    std::fputs(verb_help(verb_map).c_str(), stdout);
    return 0;
  }
  std::optional<Improved> improved;
  Mapped mapped;
  if (words.has("improve")) {
    MORA_TRY(improved, improve(words));
    mapped = improved->best;
    mapped.notes = improved->notes;
  } else {
    for (const char* option : {"machine", "keep-shares"}) {
      if (words.has(option))
        return fail(ErrorKind::usage, fmt::format("--{} without --improve", option), "mora map", "",
                    "give --improve PATTERN");
    }
    MORA_TRY(mapped, map_as(words));
  }
  if (!words.has("json") && !words.has("quiet")) {
    for (const std::string& text : mapped.notes) note(text);
  }
  if (words.has("rankfile-out")) {
    MORA_CHECK_OK(write_file_atomically(words.get("rankfile-out"), mapped.rankfile));
    note("wrote the rankfile " + words.get("rankfile-out"));
  }
  return put_out(words.get("outfile"),
                 words.has("json") ? json_of(words, mapped, improved) : placed_text(words, mapped, improved));
}

}  // namespace

const Verb verb_map{
    .name = "map",
    .summary = "show where a launcher would place each rank, without starting anything",
    .description =
        "Prints which node, slot and core each rank would get, as one line 'RANK CORE:SLOT:NODE' per rank. Cores are "
        "numbered within the slot, slots within the node. Nothing is started and no node is contacted; the nodes need "
        "not exist. --mode chooses whose rules apply:\n"
        "\n"
        "  openmpi    mpirun of Open MPI 4.1 (default), with its options. SLOT is the\n"
        "             position of the rank on its node; CORE is the first core that the\n"
        "             rank is bound to, counted within the node, or '-' if it is not known\n"
        "  kotomatas  the placement simulator of Kotomatas 2018: nodes have slots and\n"
        "             slots have cores, nothing else\n"
        "  slurm      srun of Slurm, by its documentation: --distribution and related\n"
        "             options. SLOT and CORE as with openmpi\n"
        "  hydra      mpiexec.hydra of MPICH 4.0, with -f, -hosts, -n, -ppn, -bind-to\n"
        "             and -map-by. SLOT and CORE as with openmpi\n"
        "\n"
        "Options may be written with one dash or two. They end at the application, which is ignored together with its "
        "arguments. The launcher's name may stand before its options (mora map mpirun -np 4 ./app); it also chooses "
        "the "
        "mode. Below, an option that only some modes have begins with their names.\n"
        "\n"
        "With --improve, Mora looks for a placement with less communication between nodes: it compares the placement "
        "asked for, the policies of the mode, and placements made from the communication pattern of a recorded run. "
        "Guide: docs/user/map.md.",
    .positionals = {{"APPLICATION", "the launcher's command line; the application and its arguments are ignored", 0,
                     -1}},
    .options =
        {{"--mode", "MODE", "openmpi, kotomatas, slurm or hydra", "that of the launcher's name, else openmpi"},
         {"-np,-n,--n,-c", "N", "number of ranks; slurm: -n only, -c is --cpus-per-task",
          "1; openmpi: the number of slots"},
         {"-hostfile,--hostfile,-machinefile,--machinefile", "F",
          "file of nodes, one line per node: NAME [slots=N] [max-slots=N]; kotomatas: also #cores=N (cores per slot)",
          ""},
         {"-host,-H,--host", "LIST",
          "openmpi, kotomatas: nodes, for example a,b,c; with a hostfile, use only these of its nodes", ""},
         {"-map-by,--map-by", "X",
          "openmpi, kotomatas: the object that ranks are spread over. kotomatas: node, slot, core, or ppr:N:OBJECT (N "
          "ranks per object); openmpi: all that mpirun knows (slot, core, socket, numa, ppr:N:OBJECT, seq, ...)",
          "kotomatas: node; openmpi: as mpirun"},
         {"-rank-by,--rank-by", "X",
          "openmpi, kotomatas: the order in which places get rank numbers. kotomatas: node (or host), slot, core; "
          "openmpi: all that mpirun knows",
          "slot; openmpi: as mpirun"},
         {"-bynode,--bynode", "", "openmpi, kotomatas: the same as --map-by node --rank-by node", ""},
         {"-nooversubscribe,--nooversubscribe", "",
          "openmpi, kotomatas: more ranks than the nodes have places for is an error", ""},
         {"-rf,-rankfile,--rankfile", "F",
          "openmpi, kotomatas: place ranks by the lines 'rank N=HOST slot=P' of this file; kotomatas: then all other "
          "options of placement are ignored",
          ""},
         {"-core,--core", "N", "kotomatas: cores of each slot for which the hostfile has no #cores", "1"},
         {"--nodes,-N", "N", "number of nodes, if there is no hostfile and no --host; slurm: nodes of the job", ""},
         {"--slots", "N", "slots of each node, if there is no hostfile; slurm: CPUs, if there is no topology either",
          ""},
         {"-topology,--topology", "T",
          "openmpi, slurm: what a node consists of: an XML file of hwloc (lstopo --of xml), or hwloc's short form, for "
          "example 'pack:2 core:4 pu:1'",
          ""},
         {"-display-map,--display-map", "", "openmpi: print the JOB MAP in the form of mpirun", ""},
         {"--distribution,-m", "D",
          "slurm: block, cyclic, plane=N or arbitrary over the nodes, then perhaps :block, :cyclic or :fcyclic for "
          "sockets, once more for cores, then ,Pack or ,NoPack",
          ""},
         {"--nodelist,-w", "LIST", "slurm: the nodes, for example n[1-4,7]", ""},
         {"--ntasks", "N", "slurm: number of tasks (-n)", ""},
         {"--ntasks-per-node", "N", "slurm: at most this number of tasks on a node", ""},
         {"--cpus-per-task", "N", "slurm: CPUs of each task (-c)", "1"},
         {"--exclusive", "", "slurm: the job has its nodes with all their CPUs", ""},
         {"--overcommit,-O", "", "slurm: allow more tasks than CPUs", ""},
         {"--improve", "PATTERN",
          "find a better placement for this communication pattern: what `mora pattern record` or `mora pattern dryrun` "
          "left, or a trace. The policies that are compared: openmpi: --map-by slot, node, and with --topology also "
          "core, socket, numa, l3cache, l2cache, hwthread, each with --rank-by slot, node, and with --topology also "
          "core, socket; kotomatas: --map-by slot, node, core, each with --rank-by slot, node, core; slurm: block, "
          "cyclic, plane=2, 4 ... 64",
          ""},
         {"--machine", "FILE",
          "with --improve: compare placements by the time that this machine model (docs/formats/machine.md) predicts, "
          "not by bytes",
          ""},
         {"--keep-shares", "", "with --improve: every node keeps its number of ranks", ""},
         {"-o,-outfile,--outfile", "[F]", "write to this file instead of standard output", ""},
         {"--rankfile-out", "F", "also write the placement as a rankfile, for mpirun -rf", ""},
         {"--json", "", "print one JSON object instead of lines", ""},
         {"--quiet", "", "print no notes and no progress", ""},
         {"-v,-verbose,--verbose", "", "first print a picture of the nodes", ""}},
    .examples = {{"mora map --topology 'pack:2 core:8 pu:1' --host a:16,b:16 -np 32 --map-by ppr:8:socket",
                  "what mpirun would do on nodes a and b"},
                 {"mora map --mode kotomatas --hostfile H -np 8 --bynode", "what the simulator would print"},
                 {"mora map --hostfile H --map-by node --improve mora-pattern-app-64 --rankfile-out R",
                  "a better placement for this pattern, for mpirun -rf R"},
                 {"mora map --mode slurm -w 'n[0-2]' --topology 'pack:2 core:4 pu:1' -n 8 -c 2 -m plane=2",
                  "what srun would do"},
                 {"mora map mpirun --hostfile H -np 64 --rankfile-out R ./app",
                  "the placement of a launcher's command line, as a rankfile"}},
    .run = run_map,
    .raw = true,
};

}  // namespace mora::cli
