/// `mora map`: the thesis's GetInfo, and what it imitates (spec/004 2.7).
#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/help.h"
#include "cli/map_improve.h"
#include "cli/map_modes.h"
#include "cli/output.h"
#include "cli/verbs.h"

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

std::string text_of(const MapWords& words, const Mapped& mapped, const std::optional<Improved>& improved) {
  if (words.has("display-map") && !improved) return mapped.job_map;
  return (words.has("verbose") ? mapped.picture : "") + (improved ? improvement_text(*improved) : "") +
         "#####OUTPUT#####\n" + lines_of(mapped);
}

std::string json_of(const MapWords& words, const Mapped& mapped, const std::optional<Improved>& improved) {
  const predict::Placement& p = mapped.placement;
  JsonWriter json;
  json.begin_object().key("mode").string(name_of(words.mode));
  json.key("policies").begin_line_array();
  for (const std::string& policy : mapped.policies) json.string(policy);
  json.end_array().key("nodes").begin_array();
  std::vector<std::uint64_t> ranks(p.nodes.size(), 0);
  for (const std::uint32_t node : p.node_of) ++ranks[node];
  for (std::size_t n = 0; n < p.nodes.size(); ++n) {
    json.begin_line_object().key("name").string(p.nodes[n]).key("ranks").unsigned_integer(ranks[n]);
    if (n < mapped.slots.size()) json.key("slots").unsigned_integer(mapped.slots[n]);
    json.end_object();
  }
  json.end_array().key("ranks").begin_array();
  const auto text_or_null = [&](const std::vector<std::string>& texts, std::uint32_t rank) {
    if (rank < texts.size() && !texts[rank].empty()) {
      json.string(texts[rank]);
    } else {
      json.null();
    }
  };
  for (std::uint32_t r = 0; r < p.size(); ++r) {
    json.begin_line_object()
        .key("rank")
        .unsigned_integer(number_of(mapped, r))
        .key("node")
        .string(p.nodes[p.node_of[r]]);
    json.key("slot");
    text_or_null(p.slot, r);
    json.key("core");
    text_or_null(p.core, r);
    json.end_object();
  }
  json.end_array();
  if (improved) improvement_json(*improved, json);
  json.key("notes").begin_array();
  for (const std::string& note : mapped.notes) json.string(note);
  json.end_array().end_object();
  return json.str() + "\n";
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
                 words.has("json") ? json_of(words, mapped, improved) : text_of(words, mapped, improved));
}

}  // namespace

const Verb verb_map{
    .name = "map",
    .summary = "where a launcher would place each rank, without starting anything",
    .description =
        "Prints which node, slot and core each rank would get: a line 'RANK CORE:SLOT:NODE' each, cores numbered "
        "within the slot and\n"
        "slots within the node. Nothing is started and no node is contacted; nodes need not exist. Three launchers are "
        "known:\n"
        "\n"
        "  --mode openmpi  what mpirun of Open MPI 4.1 does (default), with its options.\n"
        "                  SLOT is the rank's position on its node, CORE the first core\n"
        "                  that it is bound to, counted within the node, or '-'\n"
        "  --mode thesis   the simulator GetInfo: nodes of slots of cores, nothing else\n"
        "  --mode slurm    what srun's --distribution says, from SLURM's documentation\n"
        "\n"
        "Long options may have one dash or two. Options end at the application, which is not looked at; the launcher's "
        "name may stand\n"
        "before its options (mora map mpirun -np 4 ./app). With --improve the pattern of a run decides who sits with "
        "whom.",
    .positionals = {{"APPLICATION", "the launcher's command line; the application and its arguments are ignored", 0,
                     -1}},
    .options =
        {{"--mode", "MODE", "openmpi, thesis or slurm", "openmpi, or what the launcher's name says"},
         {"-np,-n,--n,-c", "N", "number of processes", "1; openmpi: as many as there are slots"},
         {"-hostfile,--hostfile,-machinefile,--machinefile", "F",
          "the nodes: a name a line, slots=N, max-slots=N, #cores=N", ""},
         {"-host,-H,--host", "H",
          "nodes: a,b,c; with a hostfile only these of it. thesis: names with blanks between, too", ""},
         {"-map-by,--map-by", "X",
          "thesis: node, slot, core or ppr:N:X; openmpi: all of mpirun's (slot, core, socket, numa, ppr:N:X, seq, ...)",
          "thesis: node"},
         {"-rank-by,--rank-by", "X", "thesis: node (or host), slot, core; openmpi: all of mpirun's", "slot"},
         {"-bynode,--bynode", "", "--map-by node --rank-by node", ""},
         {"-nooversubscribe,--nooversubscribe", "", "more processes than the nodes take is an error", ""},
         {"-rf,-rankfile,--rankfile", "F", "'rank N=HOST slot=P' lines; thesis: everything else is ignored then", ""},
         {"-core,--core", "N", "thesis: cores of each slot, where the hostfile does not say", "1"},
         {"--nodes,-N", "N", "number of nodes, without hostfile and --host; slurm: nodes of the job", ""},
         {"--slots", "N", "slots of each node, without hostfile; slurm: CPUs, without hostfile and topology", ""},
         {"-topology,--topology", "T",
          "openmpi, slurm: the inside of a node: an hwloc XML file or 'pack:2 core:4 pu:1'", ""},
         {"-display-map,--display-map", "", "openmpi: print the JOB MAP as mpirun does", ""},
         {"--distribution,-m", "D",
          "slurm: block, cyclic, plane=N or arbitrary, then :block|cyclic|fcyclic for sockets and for cores, ,Pack or "
          ",NoPack",
          ""},
         {"--nodelist,-w", "LIST", "slurm: the nodes, n[1-4,7]", ""},
         {"--ntasks", "N", "slurm: number of tasks (-n)", ""},
         {"--ntasks-per-node", "N", "slurm: at most so many tasks on a node", ""},
         {"--cpus-per-task", "N", "slurm: CPUs of each task (-c)", "1"},
         {"--exclusive", "", "slurm: the nodes are the job's with all CPUs", ""},
         {"--overcommit,-O", "", "slurm: more tasks than CPUs", ""},
         {"--improve", "PATTERN",
          "the best of placements made from who talks to whom, of what is asked for, and of these policies: openmpi: "
          "map by slot, node, with --topology also "
          "core, socket, numa, l3cache, l2cache, hwthread, each ranked by slot, node, with --topology also core, "
          "socket; thesis: map by slot, node, core, each "
          "ranked by slot, node, core; slurm: block, cyclic, plane=2, 4 ... 64. PATTERN: what mora pattern record or "
          "dryrun left, or a trace",
          ""},
         {"--machine", "FILE", "with --improve: by predicted time of this machine model, not by bytes", ""},
         {"--keep-shares", "", "with --improve: every node keeps its number of ranks", ""},
         {"-o,-outfile,--outfile", "[F]", "write there instead of standard output", ""},
         {"--rankfile-out", "F", "write the placement as a rankfile for mpirun -rf", ""},
         {"--json", "", "one JSON object instead of lines", ""},
         {"--quiet", "", "no notes, no progress line", ""},
         {"-v,-verbose,--verbose", "", "first a picture of the nodes", ""}},
    .examples = {{"mora map --topology 'pack:2 core:8 pu:1' --host a:16,b:16 -np 32 --map-by ppr:8:socket",
                  "what mpirun would do on nodes a and b"},
                 {"mora map --mode thesis --hostfile H -np 8 --bynode", "as the thesis's GetInfo"},
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
