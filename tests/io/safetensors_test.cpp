#include "io/safetensors.h"

#include <cstring>
#include <functional>
#include <gmock/gmock.h>

#include "rayleigh/error.h"

#include "support.h"

namespace rayleigh::io {
namespace {

using ::testing::HasSubstr;

/// A file from a header, as it stands, and data bytes.
std::string file_of(std::string_view header, std::string_view data,
                    std::uint64_t length = std::uint64_t(-1)) {
  if (length == std::uint64_t(-1)) {
    length = header.size();
  }
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes.append(header).append(data);
}

void expect_defect(const std::string& bytes, const std::string& words) {
  try {
    Safetensors::parse(bytes, "x.safetensors");
    FAIL() << "accepted; expected: " << words;
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.safetensors: "));
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

std::string entry(std::string_view fields) { return R"({"a":{)" + std::string(fields) + "}}"; }

TEST(Safetensors, ReadsWhatTheFormatDescribes) {
  const std::string data("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x07", 13);
  const auto file = Safetensors::parse(
      file_of(R"({"__metadata__":{"k":"v"},"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
              R"("f":{"dtype":"F32","shape":[],"data_offsets":[8,12]},)"
              R"("u":{"dtype":"U8","shape":[1,1],"data_offsets":[12,13]},)"
              R"("none":{"dtype":"F64","shape":[0,3],"data_offsets":[8,8]}}   )",
              data),
      "x");
  EXPECT_EQ(file.metadata().at("k"), "v");
  EXPECT_EQ(file.value<std::int64_t>("i"), 1);
  EXPECT_EQ(file.value<float>("f"), 1.0F);
  EXPECT_EQ(file.values<std::uint8_t>("u"), std::vector<std::uint8_t>{7});
  EXPECT_TRUE(file.values<double>("none").empty());
  EXPECT_EQ(file.tensors().size(), 4U);
  EXPECT_EQ(file.info("u").shape, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_FALSE(file.contains("missing"));
  EXPECT_THROW(file.info("missing"), DataError);
  EXPECT_THROW(file.values<float>("i"), DataError);
  EXPECT_THROW(file.value<double>("none"), DataError);
}

TEST(Safetensors, ReadsAFileWithoutTensors) {
  EXPECT_TRUE(Safetensors::parse(file_of("{}", ""), "x").tensors().empty());
}

TEST(Safetensors, NamesEveryDefectOfTheFrame) {
  expect_defect("", "has 0 bytes");
  expect_defect("1234567", "has 7 bytes");
  expect_defect(file_of("{}", "", 3), "gives its header 3 bytes but only 2 follow");
  expect_defect(file_of("{}", "", 0xffffffffffffffffULL - 7), "but only 2 follow");
  expect_defect(file_of("", ""), "does not begin with '{'");
  expect_defect(file_of(" {}", ""), "does not begin with '{'");
  expect_defect(file_of("{", ""), "not a JSON object");
  expect_defect(file_of("{\"a\":\"\xff\"}", ""), "not a JSON object");
  expect_defect(file_of("{}x", ""), "not a JSON object");
  expect_defect(file_of("{}", "z"), "1 bytes of data follow the last tensor");
}

TEST(Safetensors, NamesEveryDefectOfATensor) {
  const std::string four(4, '\0');
  expect_defect(file_of(R"({"a":3})", ""), "tensor 'a' is not described by an object");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1])"), four), "lacks one of");
  expect_defect(file_of(entry(R"("dtype":"BF16","shape":[2],"data_offsets":[0,4])"), four),
                "dtype 'BF16', expected F32, F64, I32, I64 or U8");
  expect_defect(file_of(entry(R"("dtype":7,"shape":[1],"data_offsets":[0,4])"), four),
                "dtype that is not a string");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), four),
                "shape with an entry that is not a whole number");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"), four),
                "not a whole number");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":"1","data_offsets":[0,4])"), four),
                "shape that is not a list");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), four),
                "has 4 bytes of data, expected 8");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,8])"), four),
                "data_offsets that is not a list of at most 2");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0])"), four),
                "not two numbers");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), four),
                "data_offsets [4, 0]");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), four),
                "expected a range within the 4 bytes");
  expect_defect(
      file_of(entry(R"("dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4])"), four),
      "unexpected or repeated field 'dtype'");
  expect_defect(file_of(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1)"), four),
                "unexpected or repeated field 'x'");
}

TEST(Safetensors, BoundsShapesBeforeTheirProductOverflows) {
  expect_defect(
      file_of(entry(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"), ""),
      "more elements than the 0 bytes");
  expect_defect(
      file_of(entry(R"("dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0])"), ""),
      "more elements");
  std::string rank = "1";
  for (int i = 0; i < 40; ++i) {
    rank += ",1";
  }
  expect_defect(
      file_of(entry(R"("dtype":"U8","shape":[)" + rank + R"(],"data_offsets":[0,1])"), "x"),
      "list of at most 32 numbers");
}

std::string two(std::string_view a, std::string_view b) {
  return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(a) +
         R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(b) + "}}";
}

TEST(Safetensors, RefusesHolesOverlapsAndRepeats) {
  const std::string data(16, '\0');
  EXPECT_EQ(
      Safetensors::parse(file_of(two("[4,8]", "[0,4]"), data.substr(8)), "x").tensors().size(), 2U)
      << "in any order";
  expect_defect(file_of(two("[0,4]", "[3,7]"), data.substr(8)), "tensors overlap");
  expect_defect(file_of(two("[0,4]", "[0,4]"), data.substr(12)), "tensors overlap");
  expect_defect(file_of(two("[0,4]", "[6,10]"), data.substr(6)), "there is a hole");
  expect_defect(file_of(two("[1,5]", "[5,9]"), data.substr(7)), "there is a hole");
  expect_defect(file_of(two("[0,4]", "[4,8]"), data.substr(7)), "1 bytes of data follow");
  std::string twice = two("[0,4]", "[4,8]");
  twice[twice.rfind("\"b\"") + 1] = 'a';
  expect_defect(file_of(twice, data.substr(8)), "has tensor 'a' twice");
}

TEST(Safetensors, MetadataIsAMapOfStrings) {
  expect_defect(file_of(R"({"__metadata__":[]})", ""), "__metadata__ is not an object");
  expect_defect(file_of(R"({"__metadata__":{"a":1}})", ""), "__metadata__ 'a' is not a string");
  expect_defect(file_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "'a' appears twice");
  expect_defect(file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "__metadata__ twice");
}

TEST(Safetensors, AMissingFileIsADataError) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(Safetensors::read(folder / "none.safetensors"), DataError);
}

SafetensorsWriter sample() {
  SafetensorsWriter writer;
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  const std::vector<double> doubles{0.5, -1e300};
  const std::vector<std::int32_t> ints{-7};
  writer.add<std::uint8_t>("bytes", {3}, bytes);
  writer.add<double>("doubles \"quoted\"", {2, 1}, doubles);
  writer.add<std::int32_t>("ints", {}, ints);
  writer.set_metadata("schema", "Größe");
  return writer;
}

TEST(Safetensors, ComesBackAsWritten) {
  const test::TemporaryFolder folder;
  sample().save(folder / "m.safetensors");
  const auto file = Safetensors::read(folder / "m.safetensors");
  EXPECT_EQ(file.values<double>("doubles \"quoted\""), (std::vector<double>{0.5, -1e300}));
  EXPECT_EQ(file.value<std::int32_t>("ints"), -7);
  EXPECT_EQ(file.values<std::uint8_t>("bytes"), (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(file.metadata().at("schema"), "Größe");
  for (const TensorInfo& tensor : file.tensors()) {
    EXPECT_EQ(tensor.begin % dtype_bytes(tensor.dtype), 0U) << tensor.name;
  }
  EXPECT_EQ(sample().bytes(), test::read_text(folder / "m.safetensors"));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = sample().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(Safetensors::parse(whole.substr(0, size), "x"), DataError) << size;
  }
}

/// Damage may go unnoticed inside numbers, but never leads outside the file.
TEST(Safetensors, EveryFlippedBitIsRefusedOrHarmless) {
  const std::string whole = sample().bytes();
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    try {
      const auto file = Safetensors::parse(bytes, "x");
      for (const TensorInfo& tensor : file.tensors()) {
        EXPECT_LE(tensor.begin + tensor.elements * dtype_bytes(tensor.dtype), bytes.size());
      }
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(GoldenSafetensors, EveryGoldenFileIsReadable) {
  RAYLEIGH_NEEDS_SHARED("golden");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::shared_folder() / "golden")) {
    if (entry.path().extension() == ".safetensors") {
      EXPECT_GT(Safetensors::read(entry.path()).tensors().size(), 0U) << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace rayleigh::io
