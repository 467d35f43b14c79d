// .npz files: there and back, what NumPy writes, damaged archives.
#include "kernels_ref/io/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "kernels_ref/io/zip.hpp"
#include "model/diagnostic.hpp"

namespace bufferproof::kernels {
namespace {

using testing::HasSubstr;

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

/// A deflated member of 100 bytes 'a', as Python's zipfile wrote it.
std::vector<std::byte> deflated_archive() {
  return bytes_of({0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00,
                   0x64, 0x7a, 0x70, 0xaf, 0x06, 0x00, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, 0x01, 0x00,
                   0x00, 0x00, 0x6d, 0x4b, 0x4c, 0xa4, 0x3d, 0x00, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x14,
                   0x03, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x64, 0x7a, 0x70,
                   0xaf, 0x06, 0x00, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
                   0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x6d,
                   0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x2f, 0x00,
                   0x00, 0x00, 0x25, 0x00, 0x00, 0x00, 0x00, 0x00});
}

TEST(Npz, TensorsComeBackByName) {
  const std::string path = temporary("bufferproof_npz_test.npz");
  const Tensor a(DType::f32, {2, 3});
  const Tensor b(DType::i64, {});
  write_npz(path, {{"layer1.0.weight", a.view()}, {"b", b.view()}});
  const auto back = read_tensors(path);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back.at("layer1.0.weight").sizes(), (Sizes{2, 3}));
  EXPECT_EQ(std::memcmp(back.at("b").view().bytes(), b.view().bytes(), 8), 0);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  std::filesystem::remove(path);
}

TEST(Npz, EqualTensorsGiveEqualBytes) {
  const ZipMember m{"x", bytes_of({1, 2, 3})};
  EXPECT_EQ(write_zip({m}), write_zip({m}));
}

TEST(Npz, FilesThatCannotBeUsed) {
  auto error = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const model::InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error([] { read_tensors("/no/such/file.npz"); }),
              HasSubstr("/no/such/file.npz: cannot be read"));
  EXPECT_THAT(error([] { write_npz("/no/such/folder/x.npz", {}); }), HasSubstr("cannot be written"));
  const std::string path = temporary("bufferproof_not_npz.npz");
  std::ofstream(path) << "hello";
  EXPECT_THAT(error([&] { read_tensors(path); }), HasSubstr("a .npy file"));
  std::filesystem::remove(path);
}

TEST(Zip, DeflatedMembers) {
  const auto members = read_zip(deflated_archive(), "t.npz");
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].name, "m");
  EXPECT_EQ(members[0].content, std::vector<std::byte>(100, static_cast<std::byte>('a')));
}

TEST(Zip, DamageIsNoticed) {
  for (std::vector<std::byte> good : {deflated_archive(), write_zip({{"m", std::vector<std::byte>(50)}})}) {
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
      const std::vector<std::byte> part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(cut));
      ASSERT_THROW(read_zip(part, "t.npz"), model::InputError) << cut;
    }
    good[33] ^= std::byte{1};  // inside the data
    EXPECT_THROW(read_zip(good, "t.npz"), model::InputError);
  }
}

TEST(Zip, RandomDamageNeverCrashes) {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes = deflated_archive();
    const unsigned flips = 1 + random() % 3;
    for (unsigned i = 0; i < flips; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      read_zip(bytes, "t.npz");
    } catch (const model::InputError&) {
    }
  }
}

TEST(Zip, ClaimsBeyondTheDataAreRefused) {
  std::vector<std::byte> bomb = deflated_archive();
  for (std::size_t i = 0; i < 4; ++i) bomb[37 + 24 + i] = std::byte{0xf0};  // 4 GiB out of 6 bytes
  EXPECT_THROW(read_zip(bomb, "t.npz"), model::InputError);
}

}  // namespace
}  // namespace bufferproof::kernels
