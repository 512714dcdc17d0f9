#include "cli/map/mca_parameters.h"

#include <map>

#include <gtest/gtest.h>

namespace mora::cli {
namespace {

using Words = std::vector<std::string>;

/// Files by name; the user's home is "/home/u".
ParameterSources sources(Words environment, std::map<std::string, std::string> files) {
  ParameterSources made;
  made.environment = std::move(environment);
  made.variable = [all = made.environment](const char* name) -> const char* {
    static const std::string home = "/home/u";
    if (name == std::string("HOME")) return home.c_str();
    for (const std::string& entry : all)
      if (entry.starts_with(std::string(name) + "=")) return entry.c_str() + std::string(name).size() + 1;
    return nullptr;
  };
  made.file = [files = std::move(files)](const std::string& name, std::string& text) {
    const auto found = files.find(name);
    if (found != files.end()) text = found->second;
    return found != files.end();
  };
  made.system_folder = "/etc/openmpi";
  return made;
}

TEST(McaParameters, CommandLineEnvironmentUserSystem) {
  const std::string name = "rmaps_base_mapping_policy", user = "/home/u/.openmpi/mca-params.conf",
                    system = "/etc/openmpi/openmpi-mca-params.conf";
  const auto before = [&](const Words& words, const Words& environment, std::map<std::string, std::string> files) {
    return parameters_beside(words, sources(environment, std::move(files))).before;
  };
  const auto says = [&](const char* value) { return Words{"--mca", name, value}; };
  EXPECT_EQ(before({}, {"OMPI_MCA_" + name + "=node"}, {{user, name + " = slot"}}), says("node"));
  EXPECT_EQ(before({}, {}, {{user, name + " = slot"}, {system, name + " = core"}}), says("slot"));
  EXPECT_EQ(before({}, {}, {{system, "btl = tcp\n# " + name + " = numa\n\t" + name + "=core \n"}}), says("core"));
  EXPECT_EQ(before({"--mca", name, "numa"}, {"OMPI_MCA_" + name + "=node"}, {}), Words{});
  EXPECT_EQ(before({}, {"OMPI_MCA_mca_base_param_files=F", "OMPI_MCA_" + name + "="},
                   {{user, name + " = slot"}, {"F", name + "=l3cache"}}),
            Words{});  // an empty value is none, and hides the others
}

TEST(McaParameters, LinesOfWords) {
  const auto of = [&](const std::string& line) {
    return parameters_beside({}, sources({}, {{"/home/u/.openmpi/mca-params.conf", line + "\n"}}));
  };
  const Words node = {"--mca", "rmaps_base_mapping_policy", "node"};
  EXPECT_EQ(of("-mca rmaps_base_mapping_policy node").before, node);
  EXPECT_EQ(of("-x A --mca\trmaps_base_mapping_policy 'node' -x B").before, node);
  EXPECT_EQ(of("-mca rmaps_base_mapping_policy slot --mca btl tcp -mca rmaps_base_mapping_policy node").before, node);
  const Words both = {"--mca", "rmaps_base_mapping_policy", "node", "--mca", "rmaps_base_ranking_policy", "slot"};
  EXPECT_EQ(of("-mca rmaps_base_ranking_policy slot -mca rmaps_base_mapping_policy node").before, both);
  const auto cut = of("-mca rmaps_base_mapping_policy node junk -mca rmaps_base_ranking_policy slot");
  EXPECT_EQ(cut.before, both);
  EXPECT_EQ(cut.notes.front(), "/home/u/.openmpi/mca-params.conf:1: 'junk' is skipped, as by mpirun");
  EXPECT_EQ(of("-mca rmaps_base_mapping_policy").before, Words{});
}

TEST(McaParameters, OverridesAndNotes) {
  const auto all = parameters_beside({"--mca", "rmaps_base_oversubscribe", "1"},
                                     sources({"OMPI_MCA_hwloc_base_binding_policy=core"},
                                             {{"/etc/openmpi/openmpi-mca-params-override.conf",
                                               "hwloc_base_binding_policy = none\nrmaps_base_oversubscribe = 0\n"},
                                              {"/home/u/.openmpi/mca-params.conf", "what is this\n"}}));
  EXPECT_EQ(all.before, Words{});
  EXPECT_EQ(all.after, (Words{"--mca", "hwloc_base_binding_policy", "none", "--mca", "rmaps_base_oversubscribe", "0"}));
  EXPECT_EQ(all.notes.front(),
            "/home/u/.openmpi/mca-params.conf:1 is no line 'NAME = VALUE' and skipped, as by mpirun");
  EXPECT_EQ(all.notes.back(),
            "rmaps_base_oversubscribe = 0 is taken from /etc/openmpi/openmpi-mca-params-override.conf:2");
}

}  // namespace
}  // namespace mora::cli
