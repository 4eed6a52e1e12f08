// Cutting .smi, CSV, TSV and SDF text into records; needs no chemistry.
#include <gtest/gtest.h>

#include "expect_error.h"
#include "io/molecule_records.h"
#include "io/table_records.h"
#include "io/text_lines.h"
#include "io_support.h"

namespace rayleigh::test {
namespace {

using io::InputFormat;
using Cells = std::vector<std::string>;

std::vector<io::MoleculeRecord> records_of(const std::string& text, InputFormat format,
                                           const io::ReadOptions& options = {}) {
  const auto records = io::open_molecule_records(io::open_memory("x", text), format, options);
  std::vector<io::MoleculeRecord> all;
  while (auto record = records->next()) {
    all.push_back(std::move(*record));
  }
  return all;
}

TEST(TextLines, CountsLinesWhateverTheirEnds) {
  io::TextLines lines(io::open_memory("x", "\xEF\xBB\xBFone\r\ntwo\n\nfour\r\r\nfive"));
  std::vector<std::string> texts;
  std::uint64_t number = 0;
  while (const auto line = lines.next()) {
    EXPECT_EQ(line->number, ++number);
    texts.push_back(line->text);
  }
  EXPECT_EQ(texts, (Cells{"one", "two", "", "four\r", "five"}));
}

TEST(TextLines, GivesLinesAgainThatWerePutBack) {
  io::TextLines lines(io::open_memory("x", "a\nb\nc\n"));
  std::vector<io::TextLine> taken;
  taken.push_back(*lines.next());
  taken.push_back(*lines.next());
  lines.put_back(std::move(taken));
  EXPECT_EQ(lines.next()->text, "a");
  EXPECT_EQ(lines.next()->text, "b");
  EXPECT_EQ(lines.next()->number, 3U);
  EXPECT_FALSE(lines.next());
}

TEST(TableRecords, TakesQuotesOff) {
  io::TableRecords rows(
      io::open_memory("x",
                      "a,b,c\r\n1,\"two, 2\",3\n\"say \"\"so\"\"\",5\" pipe,\n\"l1\nl2\",y,z\n"),
      ',');
  EXPECT_EQ(rows.header()->cells, (Cells{"a", "b", "c"}));
  EXPECT_EQ(rows.next()->cells, (Cells{"1", "two, 2", "3"}));
  EXPECT_EQ(rows.next()->cells, (Cells{"say \"so\"", "5\" pipe", ""}));
  const auto last = rows.next();
  EXPECT_EQ(last->cells, (Cells{"l1\nl2", "y", "z"}));
  EXPECT_EQ(last->line, 4U);
  EXPECT_FALSE(rows.next());
}

TEST(TableRecords, LosesOnlyTheRowOfAnOpenQuote) {
  io::TableRecords rows(io::open_memory("x", "a,b\n1,\"open\n2,two\n3,\"three\"\n\"end\n"), ',');
  rows.header();
  const auto open = rows.next();
  EXPECT_NE(open->defect.find("not closed"), std::string::npos) << open->defect;
  EXPECT_EQ(open->line, 2U);
  EXPECT_EQ(rows.next()->cells, (Cells{"2", "two"}));
  EXPECT_EQ(rows.next()->cells, (Cells{"3", "three"}));
  EXPECT_NE(rows.next()->defect.find("never closed"), std::string::npos);
  EXPECT_FALSE(rows.next());
}

TEST(TableRecords, SaysWhatIsWrongWithARow) {
  io::TableRecords rows(io::open_memory("x", "a,b\n1\n1,2,3\n\"x\"y,2\n"), ',');
  rows.header();
  EXPECT_EQ(rows.next()->defect, "the row has 1 column, expected 2 as in the header");
  EXPECT_EQ(rows.next()->defect, "the row has 3 columns, expected 2 as in the header");
  EXPECT_NE(rows.next()->defect.find("closing quote"), std::string::npos);
}

TEST(TableRecords, CountsBlankLines) {
  io::TableRecords rows(io::open_memory("x", "a\n\n1\n  \n\n2\n"), ',');
  rows.header();
  EXPECT_EQ(rows.next()->line, 3U);
  EXPECT_EQ(rows.next()->line, 6U);
  EXPECT_FALSE(rows.next());
  EXPECT_EQ(rows.blank_lines(), 3U);
  EXPECT_EQ(rows.first_blank(), 2U);
}

TEST(MoleculeRecords, ReadsSmilesBlankName) {
  const auto records = records_of("CCO ethanol, 96 %\r\nC\tmethane\n\nN\n", InputFormat::smi);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].structure, "CCO");
  EXPECT_EQ(records[0].name, "ethanol, 96 %");
  EXPECT_EQ(records[1].name, "methane");
  EXPECT_TRUE(records[2].no_structure);
  EXPECT_EQ(records[2].line, 3U);
  EXPECT_EQ(records[3].structure, "N");
}

TEST(MoleculeRecords, GuessesColumnsAndSaysSo) {
  std::string said;
  io::ReadOptions options;
  options.say = [&](const std::string& text) { said += text; };
  const auto records =
      records_of("Name,SMILES,Class\n\"2,4-D, pure\",CC,1\n", InputFormat::csv, options);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].structure, "CC");
  EXPECT_EQ(records[0].name, "2,4-D, pure");
  EXPECT_EQ(records[0].label, "1");
  EXPECT_EQ(said, "x: SMILES from column 'SMILES', class from 'Class', name from 'Name'");
}

TEST(MoleculeRecords, TakesNamedColumns) {
  io::ReadOptions options;
  options.molecules.smiles_column = "s";
  options.molecules.label = "NR-AR";
  options.molecules.id_column = "k";
  const auto records = records_of("k\tNR-AR\ts\nx\t0\tCC\n", InputFormat::tsv, options);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].structure + records[0].name + records[0].label, "CCx0");
  options.molecules.label = "NRAR";
  expect_usage_error([&] { records_of("k\tNR-AR\ts\n", InputFormat::tsv, options); },
                     {"label-column: ", "no column 'NRAR'", "did you mean NR-AR?", "'k'"});
}

TEST(MoleculeRecords, WantsASmilesColumn) {
  expect_defect([] { records_of("a,b\n1,2\n", InputFormat::csv); }, "x", 1,
                {"`smiles-column`", "'a', 'b'"});
  expect_defect([] { records_of("", InputFormat::csv); }, "x", 0, {"empty", "header"});
  expect_defect([] { records_of("smiles,\"b\n", InputFormat::csv); }, "x", 1, {"never closed"});
}

TEST(MoleculeRecords, CutsSdfIntoBlocksAndProperties) {
  const std::string text =
      "first\r\n\r\n> a comment\r\nCC\r\nM  END\r\n> 25 <class> (1)\r\n1.0\r\n\r\n>  "
      "<other>\r\nx\r\ny\r\n"
      "\r\n$$$$\r\nsecond\n\n\nN\nM  END\n> <other>\n1\n\n> <class>\nactive\n\n$$$$\n";
  const auto records = records_of(text, InputFormat::sdf);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].structure, "first\n\n> a comment\nCC\nM  END\n");
  EXPECT_EQ(records[0].name, "first");
  EXPECT_EQ(records[0].label, "1.0");
  EXPECT_EQ(records[1].label, "active");
  EXPECT_EQ(records[1].line, 14U);
  io::ReadOptions options;
  options.molecules.label = "other";
  EXPECT_EQ(records_of(text, InputFormat::sdf, options)[0].label, "x\ny");
}

TEST(MoleculeRecords, KeepsAnSdfRecordThatDoesNotEnd) {
  const auto records = records_of("a\n\n\nC\nM  END\n$$$$\nb\n\n\nC\nM  END\n", InputFormat::sdf);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].defect, "");
  EXPECT_NE(records[1].defect.find("$$$$"), std::string::npos);
  EXPECT_EQ(records[1].line, 7U);
  EXPECT_EQ(records_of("a\n\n\nC\nM  END\n$$$$\n\n\n", InputFormat::sdf).size(), 1U);
  EXPECT_TRUE(records_of("$$$$\n", InputFormat::sdf)[0].no_structure);
}

TEST(MoleculeRecords, GuessesTheOnlyPropertyOfAnSdfFile) {
  std::string said;
  io::ReadOptions options;
  options.say = [&](const std::string& text) { said += text; };
  const auto records =
      records_of("\n\n\nC\nM  END\n> <value>\n-1.0\n\n$$$$\n", InputFormat::sdf, options);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].label, "-1.0");
  EXPECT_EQ(said, "x: class from property 'value'");
}

TEST(MoleculeRecords, RefusesColumnsWhereThereAreNone) {
  io::ReadOptions options;
  options.molecules.label = "y";
  expect_usage_error([&] { records_of("C\n", InputFormat::smi, options); },
                     {"label-column: ", "x"});
  options = {};
  options.molecules.smiles_column = "y";
  expect_usage_error([&] { records_of("C\n", InputFormat::sdf, options); }, {"smiles-column: "});
}

}  // namespace
}  // namespace rayleigh::test
