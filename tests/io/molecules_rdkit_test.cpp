// Molecules through RDKit: atoms, bonds, scaffolds, fingerprints, and what bad structures say.
// Skipped with a line where the module was not built.
#include <gtest/gtest.h>

#include "io/molecule_reader.h"
#include "io/molecule_toolkit.h"
#include "io_support.h"

namespace rayleigh::test {
namespace {

using io::InputFormat;
using io::Structure;

class Molecules : public testing::Test {
 protected:
  void SetUp() override {
    try {
      toolkit_ = &io::molecule_toolkit();
    } catch (const Error& error) {
      GTEST_SKIP() << "skipped, built without RDKit: " << error.what();
    }
  }

  io::Molecule smiles(const std::string& text, const io::ToolkitOptions& wish = {}) const {
    return toolkit_->read(Structure::smiles, text, wish);
  }

  Streamed stream(const std::string& text, InputFormat format,
                  const io::ReadOptions& options = {}) const {
    const auto reader =
        io::open_molecules(io::open_memory("x", text), format, "x", options, *toolkit_);
    return stream_all(*reader, 100);
  }

  const io::MoleculeToolkit* toolkit_ = nullptr;
};

struct Known {
  const char* smiles;
  std::size_t atoms;
  std::size_t bonds;
  std::size_t aromatic_bonds;
};

TEST_F(Molecules, HaveTheirAtomsAndBonds) {
  const std::vector<Known> known{
      {"C", 1, 0, 0},                              // methane
      {"CC", 2, 1, 0},                             // ethane
      {"C=C", 2, 1, 0},                            // ethene
      {"C#C", 2, 1, 0},                            // ethyne
      {"CCO", 3, 2, 0},                            // ethanol
      {"CC(=O)O", 4, 3, 0},                        // acetic acid
      {"CC(C)=O", 4, 3, 0},                        // acetone
      {"N#N", 2, 1, 0},                            // nitrogen
      {"O=C=O", 3, 2, 0},                          // carbon dioxide
      {"[H]O[H]", 1, 0, 0},                        // water
      {"[2H]O[2H]", 1, 0, 0},                      // heavy water
      {"[NH4+]", 1, 0, 0},                         // ammonium
      {"c1ccccc1", 6, 6, 6},                       // benzene
      {"C1=CC=CC=C1", 6, 6, 6},                    // benzene, Kekulé
      {"C1CCCCC1", 6, 6, 0},                       // cyclohexane
      {"Cc1ccccc1", 7, 7, 6},                      // toluene
      {"Oc1ccccc1", 7, 7, 6},                      // phenol
      {"c1ccncc1", 6, 6, 6},                       // pyridine
      {"c1cc[nH]c1", 5, 5, 5},                     // pyrrole
      {"c1ccoc1", 5, 5, 5},                        // furan
      {"c1ccsc1", 5, 5, 5},                        // thiophene
      {"c1ccc2ccccc2c1", 10, 11, 11},              // naphthalene
      {"c1ccc2cc3ccccc3cc2c1", 14, 16, 16},        // anthracene
      {"c1ccc2[nH]ccc2c1", 9, 10, 10},             // indole
      {"c1ccc(cc1)c1ccccc1", 12, 13, 12},          // biphenyl
      {"C[C@H](N)C(=O)O", 6, 5, 0},                // alanine
      {"F/C=C/F", 4, 3, 0},                        // difluoroethene
      {"CC(=O)Oc1ccccc1C(=O)O", 13, 13, 6},        // aspirin
      {"CC(=O)Nc1ccc(O)cc1", 11, 11, 6},           // paracetamol
      {"Cn1cnc2c1c(=O)n(C)c(=O)n2C", 14, 15, 10},  // caffeine
      {"CC(C)Cc1ccc(cc1)C(C)C(=O)O", 15, 15, 6},   // ibuprofen
      {"CN1CCCC1c1cccnc1", 12, 13, 6},             // nicotine
      {"OCC1OC(O)C(O)C(O)C1O", 12, 12, 0},         // glucose
      {"C1C2CC3CC1CC(C2)C3", 10, 12, 0},           // adamantane
      {"C[N+](=O)[O-]", 4, 3, 0},                  // nitromethane
      {"CN(=O)=O", 4, 3, 0},                       // the same, as some write it
      {"CS(C)=O", 4, 3, 0},                        // dimethyl sulfoxide
      {"ClC(Cl)(Cl)Cl", 5, 4, 0},                  // carbon tetrachloride
      {"C[Si](C)(C)C", 5, 4, 0},                   // tetramethylsilane
      {"[Na+].[O-]C(=O)C", 4, 3, 0},               // sodium acetate: the larger part
  };
  for (const auto& expected : known) {
    SCOPED_TRACE(expected.smiles);
    const auto molecule = smiles(expected.smiles);
    EXPECT_EQ(molecule.error, "");
    EXPECT_EQ(molecule.atoms.size(), expected.atoms);
    EXPECT_EQ(molecule.bonds.size(), expected.bonds);
    EXPECT_EQ(static_cast<std::size_t>(
                  std::ranges::count(molecule.bonds, io::BondOrder::aromatic, &io::Bond::order)),
              expected.aromatic_bonds);
  }
}

TEST_F(Molecules, BecomeGraphsWithElementsAndBondOrders) {
  const auto all = stream("C[N+](=O)[O-] nitromethane\nC#N\n", InputFormat::smi);
  ASSERT_EQ(all.graphs.size(), 2U);
  EXPECT_EQ(all.graphs[0].labels, (std::vector<std::string>{"C", "N", "O", "O"}));
  std::vector<std::string> bonds;
  for (const auto& [from, to, times, label] : all.graphs[0].edges) {
    if (from < to) {
      bonds.push_back(label);
    }
  }
  EXPECT_EQ(bonds, (std::vector<std::string>{"1", "2", "1"}));
  io::ReadOptions options;
  options.molecules.atoms = io::AtomLabels::element_charge;
  EXPECT_EQ(stream("C[N+](=O)[O-]\n", InputFormat::smi, options).graphs[0].labels,
            (std::vector<std::string>{"C", "N+", "O", "O-"}));
  options.molecules.atoms = io::AtomLabels::detailed;
  EXPECT_EQ(stream("Cc1ccncc1\n", InputFormat::smi, options).graphs[0].labels,
            (std::vector<std::string>{"C:1", "c:3", "c:2", "c:2", "n:2", "c:2", "c:2"}));
}

TEST_F(Molecules, OfSeveralFragmentsKeepTheLargestOrAll) {
  EXPECT_EQ(smiles("[Na+].CCO.CC").atoms.size(), 3U);
  EXPECT_EQ(smiles("[Na+].CCO.CC").fragments, 3U);
  const auto all = smiles("[Na+].CCO.CC", {.largest_fragment = false});
  EXPECT_EQ(all.atoms.size(), 6U);
  EXPECT_EQ(all.bonds.size(), 3U);
  EXPECT_EQ(std::string(smiles("[Na+].[Cl-]").atoms[0].symbol.data()), "Na") << "first of equals";
}

/// As Python's RDKit 2022.09 has them: GetMorganFingerprintAsBitVect(mol, 2, nBits=2048).
TEST_F(Molecules, HaveTheFingerprintsThatRdkitGivesEverybody) {
  const std::vector<std::pair<std::string, std::vector<std::uint16_t>>> known{
      {"C", {1264}},
      {"CCO", {80, 222, 294, 807, 1057, 1410}},
      {"Oc1ccccc1C(=O)O.[Na+]",
       {389, 456, 650, 807, 1047, 1088, 1199, 1211, 1213, 1380, 1447, 1519, 1602, 1607, 1750, 1831,
        1873, 1917, 1991}},
      {"[2H]C([2H])O", {28, 807, 1057, 1155, 1552, 1643}},
      {"[H]/C(C)=C/F", {182, 208, 694, 844, 1057, 1649, 1666, 1928}},
      {"[13CH3]N", {1057, 1171, 2034}},
      {"C[N+](C)(C)C", {166, 414, 628, 1057}},
  };
  for (const auto& [text, bits] : known) {
    EXPECT_EQ(smiles(text, {.fingerprint = true}).fingerprint, bits) << text;
    EXPECT_TRUE(smiles(text).fingerprint.empty());
  }
  const std::string chain(1001, 'C');
  EXPECT_EQ(smiles(chain).error, "");
  EXPECT_EQ(smiles(chain, {.fingerprint = true}).error,
            "the molecule has more than 1000 atoms, too many for a fingerprint");
}

TEST_F(Molecules, OfOneScaffoldShareIt) {
  const auto scaffold = [&](const char* text) {
    return smiles(text, {.largest_fragment = true, .scaffold = true}).scaffold;
  };
  EXPECT_EQ(scaffold("CCO"), "");
  EXPECT_EQ(scaffold("Cc1ccccc1"), "c1ccccc1");
  EXPECT_EQ(scaffold("Oc1ccccc1C(=O)O.[Na+]"), "c1ccccc1");
  EXPECT_EQ(scaffold("C1=CC=CC=C1CC1CC1C"), scaffold("CC1C(Cc2ccccc2)C1"));
  EXPECT_NE(scaffold("Cc1ccccc1"), scaffold("Cc1ccncc1"));
}

TEST_F(Molecules, ThatAreNoneSayWhyAndKeepTheirRows) {
  const std::string longest = "C" + std::string(9'999, 'C');
  const std::string text =
      "CCO good\nC1CC ring\nC( branch\nCC(C)(C)(C)C valence\nc1cccc1 kekule\n"
      "*CC dummy\n\nsmiles name\n[Xx] element\nC methane\n" +
      longest + " long\n" + std::string(10'000, '(') + " brackets\nN last\n";
  const auto all = stream(text, InputFormat::smi);
  std::vector<std::pair<std::string, std::string>> expected{
      {"good", ""},
      {"ring", "SMILES Parse Error: unclosed ring"},
      {"branch", "SMILES Parse Error: syntax error"},
      {"valence", "Explicit valence for atom # 1 C, 5, is greater than permitted"},
      {"kekule", "Can't kekulize mol"},
      {"dummy", "atom 1 is a dummy atom (*), expected elements only"},
      {"7", "there is no SMILES here"},
      {"name", "SMILES Parse Error: syntax error"},
      {"element", "SMILES Parse Error: syntax error"},
      {"methane", ""},
      {"long", ""},
      {"brackets", "SMILES Parse Error: syntax error"},
      {"last", ""}};
  ASSERT_EQ(all.rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(all.rows[i].id, expected[i].first);
    EXPECT_EQ(all.rows[i].ok, expected[i].second.empty()) << all.rows[i].reason;
    EXPECT_TRUE(all.rows[i].reason.starts_with(expected[i].second)) << all.rows[i].reason;
    EXPECT_EQ(all.rows[i].place.line, i + 1);
  }
  ASSERT_EQ(all.graphs.size(), 4U);
  EXPECT_TRUE(all.graphs[1].edges.empty()) << "a molecule without bonds is a graph";
  EXPECT_EQ(all.graphs[2].labels.size(), 10'000U);
  const std::string endless(200'000, 'C');
  EXPECT_NE(smiles(endless).error.find("characters"), std::string::npos);
  EXPECT_NE(smiles("C1" + std::string(50'000, 'C') + "1").error.find("atoms, expected at most"),
            std::string::npos);
}

TEST_F(Molecules, WriteNothingToStderr) {
  testing::internal::CaptureStderr();
  static_cast<void>(smiles("C1CC"));
  static_cast<void>(smiles("c1cccc1"));
  static_cast<void>(smiles("[H]"));
  static_cast<void>(toolkit_->read(Structure::mol_block, "nonsense", {}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

constexpr const char* kV2000 =
    "ethanol\n  test\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
    "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    0.0000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "  1  2  1  0\n  2  3  1  0\nM  END\n> <active>\n1\n\n$$$$\n";
constexpr const char* kV3000 =
    "formaldehyde\n  test\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
    "M  V30 COUNTS 2 1 0 0 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 2 O 1 0 0 0\n"
    "M  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 2 1 2\nM  V30 END BOND\nM  V30 END CTAB\n"
    "M  END\n> <active>\n0\n\n$$$$\n";

TEST_F(Molecules, InSdfFilesOfBothVersions) {
  const auto all = stream(std::string(kV2000) + kV3000, InputFormat::sdf);
  ASSERT_EQ(all.graphs.size(), 2U) << all.rows[0].reason << all.rows.back().reason;
  EXPECT_EQ(all.rows[0].id, "ethanol");
  EXPECT_EQ(all.graphs[0].labels, (std::vector<std::string>{"C", "C", "O"}));
  EXPECT_EQ(all.graphs[0].graph_class, "1");
  EXPECT_EQ(all.rows[1].id, "formaldehyde");
  EXPECT_EQ(all.graphs[1].labels, (std::vector<std::string>{"C", "O"}));
  EXPECT_EQ(std::get<3>(all.graphs[1].edges[0]), "2");
  EXPECT_EQ(all.graphs[1].graph_class, "0");
}

TEST_F(Molecules, InADamagedSdfFileLoseOnlyTheDamagedOnes) {
  std::string torn(kV2000);
  torn.erase(torn.find("  2  3  1  0\n"), 13);  // a bond line less than the counts line says
  std::string mixed = std::string(kV2000) + torn + kV3000;
  const auto all = stream(mixed + std::string(kV2000).substr(0, 150), InputFormat::sdf);
  ASSERT_EQ(all.rows.size(), 4U);
  EXPECT_TRUE(all.rows[0].ok);
  EXPECT_FALSE(all.rows[1].ok);
  EXPECT_FALSE(all.rows[1].reason.empty());
  EXPECT_TRUE(all.rows[2].ok);
  EXPECT_FALSE(all.rows[3].ok);
  EXPECT_NE(all.rows[3].reason.find("$$$$"), std::string::npos);
}

TEST_F(Molecules, ComeFromPlainGzippedAndZippedFilesAlike) {
  const TemporaryFolder folder;
  const std::string table = "smiles,id,label\r\nCCO,\"a \"\"b\"\", c\",1\nc1ccccc1,d,0\r\n";
  write_text(folder / "x.csv", table);
  write_text(folder / "x.csv.gz", gzip_bytes(table));
  write_text(folder / "one.zip", zip_bytes({{"in/x.csv", table}, {"README.md", "text"}}));
  write_text(folder / "packed.zip", zip_bytes({{"x.csv.gz", gzip_bytes(table)}}));
  write_text(folder / "two.zip", zip_bytes({{"x.csv", table}, {"y.sdf", kV2000}}));
  write_text(folder / "odd.txt", table);
  const auto set = io::load((folder / "x.csv").string());
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(set.graph_name(0), "a \"b\", c");
  EXPECT_EQ(set.name(), "x");
  for (const char* name : {"x.csv.gz", "one.zip", "packed.zip"}) {
    EXPECT_EQ(io::load((folder / name).string()), set) << name;
    EXPECT_EQ(stream_all(*io::open((folder / name).string()), 1).graphs, words_of(set)) << name;
  }
  EXPECT_EQ(io::load((folder / "odd.txt").string(), {.input = InputFormat::csv}), set);
  EXPECT_EQ(io::load((folder / "two.zip").string(), {.input = InputFormat::csv}), set);
  expect_defect([&] { io::load((folder / "two.zip").string()); }, (folder / "two.zip").string(), 0,
                {"2 files", "x.csv", "y.sdf"});
  expect_defect([&] { io::load((folder / "odd.txt").string()); }, (folder / "odd.txt").string(), 0,
                {"`input`"});
  const auto packed = gzip_bytes(table);
  write_text(folder / "cut.csv.gz", packed.substr(0, packed.size() - 12));
  expect_defect([&] { io::load((folder / "cut.csv.gz").string()); },
                (folder / "cut.csv.gz").string(), 0, {"truncated"});
}

TEST_F(Molecules, OfTheScreensAreRead) {
  RAYLEIGH_NEEDS_SHARED("data/tox21.csv.gz");
  const auto data = shared_folder() / "data";
  io::ReadOptions options;
  options.molecules.label = "SR-HSE";
  const auto tox = io::load((data / "tox21.csv.gz").string(), options);
  EXPECT_EQ(tox.size(), 8014U);
  ASSERT_NE(find_finding(tox, "missing_label"), nullptr);
  const auto screen = io::load((data / "SN12C-balanced.sdf.zip").string());
  ASSERT_NE(find_finding(screen, "not_a_molecule"), nullptr) << "complexes of metals";
  EXPECT_EQ(screen.size() + find_finding(screen, "not_a_molecule")->count, 3282U);
  EXPECT_EQ(screen.classes().words()[0], "-1");
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST_F(Molecules, AreDrawnWithTheirAtomsColoured) {
  io::MoleculePicture picture;
  picture.grounds.resize(13);
  const std::string plain = toolkit_->draw(Structure::smiles, "CC(=O)Oc1ccccc1C(=O)O", {}, picture);
  EXPECT_EQ(plain.rfind("<svg", 0), 0U);
  picture.grounds[3] = io::Colour{1, 0, 0};
  picture.grounds[12] = io::Colour{0, 0, 1};
  const std::string coloured =
      toolkit_->draw(Structure::smiles, "CC(=O)Oc1ccccc1C(=O)O", {}, picture);
  EXPECT_EQ(count(plain, "#FF0000"), 0U);
  EXPECT_GT(count(coloured, "#FF0000"), 0U);
  EXPECT_GT(count(coloured, "#0000FF"), 0U);
}

TEST_F(Molecules, DrawOnlyTheFragmentThatIsKept) {
  io::MoleculePicture picture;
  picture.grounds.resize(4);
  EXPECT_NE(toolkit_->draw(Structure::smiles, "[Na+].CC(=O)[O-]", {}, picture), "");
  EXPECT_EQ(
      toolkit_->draw(Structure::smiles, "[Na+].CC(=O)[O-]", {.largest_fragment = false}, picture),
      "");
}

TEST_F(Molecules, WithAnotherNumberOfAtomsOrNoneAreNotDrawn) {
  io::MoleculePicture picture;
  picture.grounds.resize(4);
  EXPECT_EQ(toolkit_->draw(Structure::smiles, "CCC", {}, picture), "");
  EXPECT_EQ(toolkit_->draw(Structure::smiles, "CC(C", {}, picture), "");
}

TEST_F(Molecules, ThatChemistryForbidsAreDrawnFromPlainAtoms) {
  io::Molecule molecule;
  molecule.atoms.resize(7);
  for (io::Atom& atom : molecule.atoms) {
    atom.symbol = {'C'};
  }
  for (std::uint32_t i = 1; i < 7; ++i) {
    molecule.bonds.push_back({0, i, i < 3 ? io::BondOrder::aromatic : io::BondOrder::two});
  }
  io::MoleculePicture picture;
  picture.grounds.resize(7);
  picture.grounds[0] = io::Colour{1, 0, 0};
  EXPECT_GT(count(toolkit_->draw(molecule, picture), "#FF0000"), 0U);
  molecule.atoms[1].symbol = {'Q', 'q'};
  EXPECT_EQ(toolkit_->draw(molecule, picture), "");
}

TEST_F(Molecules, ClaimsThatARecordCannotHoldAreRefused) {
  const auto block = [](const std::string& counts, const std::string& later) {
    return "lie\n\n\n" + counts + " V" + (later.empty() ? "2000\n" : "3000\n" + later) + "M  END\n";
  };
  for (const auto& text :
       {block("999999  0     0  0            999", ""),
        block("  0  0  0     0  0            999",
              "M  V30 BEGIN CTAB\nM  V30 COUNTS 999999999 0 0 0 0\nM  V30 BEGIN ATOM\n"
              "M  V30 END ATOM\nM  V30 END CTAB\n")}) {
    const auto molecule = toolkit_->read(Structure::mol_block, text, {});
    EXPECT_NE(molecule.error.find("the counts line claims 999"), std::string::npos)
        << molecule.error;
  }
}

}  // namespace
}  // namespace rayleigh::test
