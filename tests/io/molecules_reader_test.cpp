// The molecule reader without chemistry: rows, order, findings, labels; with a stand-in toolkit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rayleigh/graph_set_builder.h"

#include "expect_error.h"
#include "io/letter_toolkit.h"
#include "io/limits.h"
#include "io/molecule_graph.h"
#include "io/molecule_reader.h"
#include "io_support.h"

namespace rayleigh::test {
namespace {

using io::InputFormat;

const LetterToolkit& letters() {
  static const LetterToolkit toolkit;
  return toolkit;
}

GraphSet load_text(const std::string& text, InputFormat format,
                   const io::ReadOptions& options = {}) {
  return io::load_molecules(io::open_memory("x", text), format, "x", options, letters());
}

Streamed stream_text(const std::string& text, InputFormat format, std::size_t max_rows,
                     const io::ReadOptions& options = {}) {
  const auto reader =
      io::open_molecules(io::open_memory("x", text), format, "x", options, letters());
  return stream_all(*reader, max_rows);
}

TEST(AtomLabel, TellsAsMuchAsAskedFor) {
  io::Atom atom{.symbol = {'N'}, .charge = 1, .aromatic = true};
  EXPECT_EQ(io::atom_label(atom, 3, io::AtomLabels::element), "N");
  EXPECT_EQ(io::atom_label(atom, 3, io::AtomLabels::element_charge), "N+");
  EXPECT_EQ(io::atom_label(atom, 3, io::AtomLabels::detailed), "n+:3");
  const io::Atom copper{.symbol = {'C', 'u'}, .charge = -3, .aromatic = false};
  EXPECT_EQ(io::atom_label(copper, 0, io::AtomLabels::element_charge), "Cu-3");
  EXPECT_EQ(io::atom_label(copper, 4, io::AtomLabels::detailed), "Cu-3:4");
}

TEST(MoleculeReader, KeepsOrderForAnyThreadsAndChunks) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += std::string(static_cast<std::size_t>(1 + i % 7), 'C') + (i % 100 == 17 ? "!" : "") +
            " m" + std::to_string(i) + "\n";
  }
  const auto one = stream_text(text, InputFormat::smi, 1000, {.run = {.threads = 1}});
  const auto many = stream_text(text, InputFormat::smi, 333, {.run = {.threads = 4}});
  ASSERT_EQ(one.rows.size(), 10'000U);
  ASSERT_EQ(many.rows.size(), 10'000U);
  EXPECT_TRUE(one.graphs == many.graphs);
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].id, "m" + std::to_string(i));
    EXPECT_EQ(many.rows[i].id, one.rows[i].id);
    EXPECT_EQ(one.rows[i].ok, i % 100 != 17);
    EXPECT_EQ(one.rows[i].place.line, i + 1);
  }
  const auto whole = load_text(text, InputFormat::smi, {.run = {.threads = 2}});
  EXPECT_TRUE(words_of(whole) == one.graphs);
  expect_finding(whole, "not_a_molecule", 100, "x", 18);
}

TEST(MoleculeReader, PiecesMayBeTakenAheadAndRowsPassedOver) {
  std::string lines;
  std::string table = "name,smiles\n";
  std::string records;
  for (int i = 0; i < 300; ++i) {
    const auto letters_of = std::string(static_cast<std::size_t>(1 + i % 7), 'C');
    const auto text = letters_of + (i % 10 == 7 ? "!" : "");
    const auto name = i % 3 == 0 ? "" : "m" + std::to_string(i);
    lines += fmt::format("{} {}\n", text, name);
    table += fmt::format("{},{}{}\n", name, text, i % 11 == 5 ? ",x" : "");
    records += fmt::format("{}\n\n\n{}\nM  END\n> <label>\n1\n\n$$$$\n", name, text);
  }
  const auto expect = [](const std::string& text, InputFormat format) {
    expect_same_when_taken_or_skipped(
        [&] { return io::open_molecules(io::open_memory("x", text), format, "x", {}, letters()); });
  };
  expect(lines, InputFormat::smi);
  expect(table, InputFormat::csv);
  expect(records, InputFormat::sdf);
}

TEST(MoleculeReader, TellsHowMuchOfAFileWasRead) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += "CCCCCCCC m" + std::to_string(i) + "\n";
  }
  write_text(folder / "x.smi", text);
  write_text(folder / "x.smi.gz", gzip_bytes(text));
  for (const char* name : {"x.smi", "x.smi.gz"}) {
    const auto reader = io::open_molecules(io::open_file((folder / name).string()),
                                           InputFormat::smi, "x", {}, letters());
    EXPECT_EQ(reader->skip(1), 1U);
    EXPECT_LT(reader->fraction_read().value(), 0.3);
    EXPECT_EQ(reader->skip(150'000), 150'000U);
    EXPECT_NEAR(reader->fraction_read().value(), 0.5, 0.25);
    reader->skip(300'000);
    EXPECT_EQ(reader->fraction_read().value(), 1.0);
  }
  const auto memory =
      io::open_molecules(io::open_memory("x", text), InputFormat::smi, "x", {}, letters());
  EXPECT_FALSE(memory->fraction_read().has_value());
}

TEST(MoleculeReader, LabelsThatNobodyAsksForFailNoRow) {
  const std::string table = "smiles,label\nCC,0.5\nCCC,1\n";
  EXPECT_FALSE(stream_text(table, InputFormat::csv, 10).rows[0].ok);
  const io::ReadOptions none{.molecules = {.classes = false}};
  EXPECT_TRUE(stream_text(table, InputFormat::csv, 10, none).rows[0].ok);
  const io::ReadOptions named{.molecules = {.label = "label", .classes = false}};
  EXPECT_FALSE(stream_text(table, InputFormat::csv, 10, named).rows[0].ok);
}

TEST(MoleculeReader, GivesEveryBadRowItsReason) {
  const auto all = stream_text(
      "smiles,name,class\nCC,\"a, "
      "b\",1\n,b,1\nC!,c,0\nCC,d\nCC,e,0.37\nCC,f,\nCC,g,1.0\nCC,,word\n",
      InputFormat::csv, 3);
  std::vector<std::string> lines;
  for (const auto& row : all.rows) {
    lines.push_back(row.id + ":" + row.reason);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "a, b:", "b:there is no SMILES here", "c:exclamation marks\\x0aare no atoms",
                       "4:the row has 2 columns, expected 3 as in the header",
                       "e:column 'class' is '0.37', expected a class: a whole number or a word",
                       "f:", "g:", "8:"}));
  ASSERT_EQ(all.graphs.size(), 4U);
  EXPECT_EQ(all.graphs[0].graph_class, "1");
  EXPECT_EQ(all.graphs[1].graph_class, "?");
  EXPECT_EQ(all.graphs[2].graph_class, "1");
  EXPECT_EQ(all.graphs[3].graph_class, "word");
}

TEST(MoleculeReader, ANulDoesNotEndAMolecule) {
  using std::string_literals::operator""s;
  const auto smiles = stream_text("CC\0O cut\nCCO whole\n"s, InputFormat::smi, 10);
  ASSERT_EQ(smiles.rows.size(), 2U);
  EXPECT_FALSE(smiles.rows[0].ok);
  EXPECT_EQ(smiles.rows[0].reason, "the structure has a NUL at byte 3, expected text");
  EXPECT_TRUE(smiles.rows[1].ok);
  const auto blocks = stream_text("a\n\n\nC\0C\nM  END\n$$$$\n"s, InputFormat::sdf, 10);
  ASSERT_EQ(blocks.rows.size(), 1U);
  EXPECT_FALSE(blocks.rows[0].ok);
}

TEST(MoleculeReader, LoadingLeavesOutWhatIsNoMoleculeAndCountsIt) {
  const auto set = load_text("smiles,label\nCC,1\n\n,0\nC!,0\nCN,\nC.N,0\n", InputFormat::csv);
  EXPECT_EQ(set.size(), 3U);
  expect_finding(set, "not_a_molecule", 2, "x", 4);
  EXPECT_NE(find_finding(set, "not_a_molecule")->description.find("there is no SMILES"),
            std::string::npos);
  expect_finding(set, "missing_label", 1, "x", 6);
  expect_finding(set, "fragments", 1, "x", 7);
  expect_finding(set, "blank_lines", 1, "x", 3);
  EXPECT_FALSE(set.has_names());
}

TEST(MoleculeReader, LoadingRefusesMalformedRows) {
  expect_defect([] { load_text("smiles,label\nCC,1\nCC\n", InputFormat::csv); }, "x", 3,
                {"1 column", "expected 2"});
  expect_defect([] { load_text("smiles,label\nCC,0.5\n", InputFormat::csv); }, "x", 2,
                {"column 'label'", "'0.5'", "whole number or a word"});
  expect_defect([] { load_text("\n\n\nC\nM  END\n", InputFormat::sdf); }, "x", 1,
                {"$$$$", "truncated"});
  expect_defect([] { load_text("smiles\n", InputFormat::csv); }, "x", 0, {"no molecules"});
  expect_defect([] { load_text("", InputFormat::smi); }, "x", 0, {"no molecules"});
  expect_defect([] { load_text("!\nC!\n", InputFormat::smi); }, "x", 1, {"none of 2 rows"});
  expect_defect([] { load_text("CCCC\n", InputFormat::smi, {.max_nodes = 3}); }, "x", 1,
                {"4 nodes", "`max-nodes`"});
}

TEST(MoleculeReader, GivesTheRowsBeforeATornEnd) {
  std::string text;
  for (int i = 0; i < 9000; ++i) {
    text += "C" + std::string(static_cast<std::size_t>(i * 7 % 13), 'N') + " m" +
            std::to_string(i) + "\n";
  }
  const auto packed = gzip_bytes(text);
  for (const std::size_t size : {packed.size() / 2, packed.size() - 12, packed.size() - 4}) {
    const auto reader = io::open_molecules(
        io::gunzip(io::open_memory("x", std::string_view(packed).substr(0, size))),
        InputFormat::smi, "x", {}, letters());
    std::vector<std::string> ids;
    expect_defect(
        [&] {
          while (const auto chunk = reader->next_chunk(1000)) {
            for (const auto& row : chunk->rows) {
              ids.push_back(row.id);
            }
          }
        },
        "x", 0, {"truncated"});
    EXPECT_GT(ids.size(), 8999 * size / packed.size() * 9 / 10);
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(ids.back(), "m" + std::to_string(ids.size() - 1));
  }
}

TEST(MoleculeReader, KeepsNamesThatAreNotUtf8Readable) {
  const auto set = load_text("C caf\xE9\nN b\n", InputFormat::smi);
  EXPECT_EQ(set.graph_name(0), "caf\\xe9");
  EXPECT_EQ(set.graph_name(1), "b");
  expect_finding(set, "name_not_utf8", 1, "x", 1);
}

TEST(MoleculeReader, FindsScaffoldsOnlyWhenAsked) {
  EXPECT_TRUE(load_text("C\nN\n", InputFormat::smi).scaffold().empty());
  io::ReadOptions options;
  options.molecules.scaffolds = true;
  const auto set = load_text("CN\nN\nCO\n", InputFormat::smi, options);
  ASSERT_EQ(set.scaffold().size(), 3U);
  EXPECT_EQ(set.scaffold()[0], set.scaffold()[2]);
  EXPECT_NE(set.scaffold()[0], set.scaffold()[1]);
  const std::vector<std::uint32_t> chosen{1};
  EXPECT_EQ(set.subset(chosen).scaffold()[0], set.scaffold()[1]);
}

TEST(MoleculeReader, ComputesFingerprintsOnlyWhenAsked) {
  const auto without = load_text("C\nN\n", InputFormat::smi);
  EXPECT_FALSE(without.has_fingerprints());
  EXPECT_EQ(without.data().fingerprint.capacity() + without.data().fingerprint_ptr.capacity(), 0U);
  io::ReadOptions options;
  options.molecules.fingerprints = true;
  const auto set = load_text("CN\n!bad\nN\nCO\n", InputFormat::smi, options);
  ASSERT_TRUE(set.has_fingerprints());
  const auto bits_of = [](const GraphSet& graphs, std::size_t graph) {
    const auto bits = graphs.fingerprint(graph);
    return std::vector<int>(bits.begin(), bits.end());
  };
  EXPECT_EQ(bits_of(set, 0), (std::vector<int>{'C', 'N'}));
  EXPECT_EQ(bits_of(set, 1), (std::vector<int>{'N'}));
  EXPECT_EQ(bits_of(set, 2), (std::vector<int>{'C', 'O'}));
  EXPECT_GT(set.memory_bytes(), load_text("CN\nN\nCO\n", InputFormat::smi).memory_bytes());
  const std::vector<std::uint32_t> chosen{2, 1};
  const GraphSet some = set.subset(chosen);
  EXPECT_EQ(bits_of(some, 0), bits_of(set, 2));
  EXPECT_EQ(bits_of(some, 1), bits_of(set, 1));
}

TEST(MoleculeReader, GivesFingerprintsInEveryPartOfAStream) {
  std::string text;
  for (int i = 0; i < 9; ++i) {
    text.append(20'000, 'C');
    text.push_back(static_cast<char>('D' + i));
    text += i % 3 == 0 ? "\n!bad\n" : "\n";
  }
  // Rows that are taken at once, and such that one chunk cannot hold.
  for (const std::size_t rows : {1U, 2U, 1024U}) {
    const auto reader =
        io::open_molecules(io::open_memory("x", text), InputFormat::smi, "x", {}, letters());
    ASSERT_TRUE(reader->add_fingerprints());
    int found = 0;
    while (const auto chunk = reader->next_chunk(rows)) {
      ASSERT_TRUE(chunk->graphs.has_fingerprints());
      for (std::size_t g = 0; g < chunk->graphs.size(); ++g) {
        const auto bits = chunk->graphs.fingerprint(g);
        EXPECT_EQ(std::vector<int>(bits.begin(), bits.end()), (std::vector<int>{'C', 'D' + found}));
        ++found;
      }
    }
    EXPECT_EQ(found, 9);
  }
}

TEST(HoldsMolecules, IsToldByNames) {
  const TemporaryFolder folder;
  write_text(folder / "a.smi", "C\n");
  write_text(folder / "a.csv.gz", "");
  write_text(folder / "a.jsonl", "{}\n");
  const auto path = [&](const char* name) { return (folder / name).string(); };
  EXPECT_TRUE(io::holds_molecules(path("a.smi")));
  EXPECT_TRUE(io::holds_molecules(path("a.csv.gz")));
  EXPECT_FALSE(io::holds_molecules(path("a.jsonl")));
  EXPECT_TRUE(io::holds_molecules(path("a.jsonl"), {.input = InputFormat::smi}));
  EXPECT_FALSE(io::holds_molecules(folder.path().string())) << "a folder is a TU set";
  EXPECT_FALSE(io::holds_molecules(path("nothing.smi")));
  EXPECT_FALSE(io::holds_molecules("-"));
  EXPECT_TRUE(io::holds_molecules("-", {.input = InputFormat::sdf}));
}

TEST(MoleculeOf, ReadsTheLabelsThatReadingWrites) {
  for (const auto labels :
       {io::AtomLabels::element, io::AtomLabels::element_charge, io::AtomLabels::detailed}) {
    for (const int charge : {-2, -1, 0, 1, 3}) {
      io::Atom atom;
      atom.symbol = {'C', 'a'};
      atom.charge = charge;
      atom.aromatic = true;
      GraphSetBuilder builder("test");
      builder.begin_graph("", "0");
      builder.add_node(io::atom_label(atom, 1, labels));
      builder.add_node("N");
      builder.add_edge(0, 1, "2");
      const auto back = io::molecule_of(builder.build(), 0);
      ASSERT_TRUE(back);
      EXPECT_STREQ(back->atoms[0].symbol.data(), "Ca");
      EXPECT_EQ(back->atoms[0].charge, labels == io::AtomLabels::element ? 0 : charge);
      EXPECT_EQ(back->atoms[0].aromatic, labels == io::AtomLabels::detailed);
      ASSERT_EQ(back->bonds.size(), 1U);
      EXPECT_EQ(back->bonds[0].order, io::BondOrder::two);
    }
  }
}

TEST(MoleculeOf, OtherLabelsAreNoAtoms) {
  for (const char* label : {"", "7", "C7", "carbon", "C+x", "<b>", "degree 3"}) {
    GraphSetBuilder builder("test");
    builder.begin_graph("", "0");
    builder.add_node(label);
    EXPECT_FALSE(io::molecule_of(builder.build(), 0)) << label;
  }
}

TEST(MoleculeReader, BoundsTheAtomsOfAChunkAndNotItsRows) {
  std::string text;
  for (int i = 0; i < 9; ++i) {
    text += std::string(20'000 + static_cast<std::size_t>(i), 'C') + " m" + std::to_string(i) +
            (i % 3 == 0 ? "\n!bad\n" : "\n");
  }
  const auto open = [&] {
    return io::open_molecules(io::open_memory("x", text), InputFormat::smi, "x", {}, letters());
  };
  const auto reader = open();
  while (const auto chunk = reader->next_chunk(1024)) {
    EXPECT_LE(chunk->graphs.nodes(), io::kNodesAtOnce);
  }
  expect_same_when_taken_or_skipped(open);
  EXPECT_EQ(stream_all(*open(), 1024).rows.size(), 12U);
}

}  // namespace
}  // namespace rayleigh::test
