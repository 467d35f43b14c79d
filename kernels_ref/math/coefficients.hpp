// Minimax polynomials, lowest power first. Made by scripts/minimax.py; not edited by hand.
//
// k<Name>64: accurate enough for f64 results. k<Name>32: evaluated in f64, accurate enough for f32 results.
// Tested by tests/kernels_ref/math_golden_test.cpp and tests/kernels_ref/mpfr/.
#pragma once

namespace bufferproof::kernels::math {

// (e^r - 1 - r) / r^2, |r| <= ln2/2; weighted error 2^-65.6
inline constexpr double kExp64[] = {0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555557p-5,
                                    0x1.1111111111113p-7,  0x1.6c16c16c15a04p-10, 0x1.a01a01a018854p-13,
                                    0x1.a01a01aa1304fp-16, 0x1.71de3a5eebbecp-19, 0x1.27e4d3aadca86p-22,
                                    0x1.ae641ac03f025p-26, 0x1.1f7ff34adf5e8p-29, 0x1.61da8dc93876dp-33};
// (e^r - 1 - r) / r^2, |r| <= ln2/2; weighted error 2^-35.1
inline constexpr double kExp32[] = {0x1.fffffffffbe75p-2, 0x1.55555567a0c3ap-3,  0x1.5555556fa6539p-5,
                                    0x1.1110c55c8bf41p-7, 0x1.6c1650963570fp-10, 0x1.a153349bf8d2ep-13,
                                    0x1.a15c8ae1f9ab5p-16};

// (2 atanh(s) - 2s) / s^3, z = s^2 <= 0.0295; weighted error 2^-65.7
inline constexpr double kLog64[] = {0x1.5555555555555p-1, 0x1.9999999999e14p-2, 0x1.24924924298cdp-2,
                                    0x1.c71c725b043e8p-3, 0x1.745cdd923db8fp-3, 0x1.3b20c7a7cbf91p-3,
                                    0x1.0f5a4bb5b0a80p-3, 0x1.0f79d4f07b534p-3};
// (2 atanh(s) - 2s) / s^3, z = s^2 <= 0.0295; weighted error 2^-36.6
inline constexpr double kLog32[] = {0x1.555554fc9e848p-1, 0x1.999a7c7a17cdbp-2, 0x1.243852fef4bb1p-2,
                                    0x1.e30b5760d65c6p-3};

// ((2 atanh(s) - 2s) / s^3 - 2/3) / z, z = s^2 <= 0.0295; weighted error 2^-65.8
inline constexpr double kLogTail64[] = {0x1.9999999999999p-2, 0x1.24924924928a1p-2, 0x1.c71c71c65eb4dp-3,
                                        0x1.745d17cbc904ep-3, 0x1.3b137cf831df6p-3, 0x1.111ceb66685b1p-3,
                                        0x1.dec737c15b7a3p-4, 0x1.e672abce45e9ep-4};
// ((2 atanh(s) - 2s) / s^3 - 2/3) / z, z = s^2 <= 0.0295; weighted error 2^-29.5
inline constexpr double kLogTail32[] = {0x1.9999d6743fdaep-2, 0x1.2461c4695fe34p-2, 0x1.dcfce78f2c204p-3};

// (sin r - r) / r^3, z = r^2, r <= pi/4; weighted error 2^-68.8
inline constexpr double kSin64[] = {-0x1.5555555555555p-3, 0x1.111111111110bp-7,   -0x1.a01a01a018aa5p-13,
                                    0x1.71de3a53344a2p-19, -0x1.ae6452916bc82p-26, 0x1.61208e419adaap-33,
                                    -0x1.aaa30706ecf1fp-41};
// (sin r - r) / r^3, z = r^2, r <= pi/4; weighted error 2^-37.6
inline constexpr double kSin32[] = {-0x1.5555554ca51cfp-3, 0x1.11110886ef5dbp-7, -0x1.a00f911f5e0b1p-13,
                                    0x1.6cd55321a58b0p-19};

// (cos r - 1 + r^2/2) / r^4, z = r^2, r <= pi/4; weighted error 2^-75.2
inline constexpr double kCos64[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16c10p-10, 0x1.a01a01a018db5p-16,
                                    -0x1.27e4fb75f9d9bp-22, 0x1.1eed8c9f8a6f3p-29,  -0x1.939333846f530p-37,
                                    0x1.aac3830dd29f7p-45};
// (cos r - 1 + r^2/2) / r^4, z = r^2, r <= pi/4; weighted error 2^-43.2
inline constexpr double kCos32[] = {0x1.5555554f40f55p-5, -0x1.6c16b88a07b2bp-10, 0x1.a011162f46b7dp-16,
                                    -0x1.2428bc1caec40p-22};

// (atan t - t) / t^3, z = t^2, t <= 7/16; weighted error 2^-62.4
inline constexpr double kAtan64[] = {-0x1.5555555555552p-2, 0x1.9999999998fecp-3,  -0x1.249249244632bp-3,
                                     0x1.c71c71a18f528p-4,  -0x1.745d11d4d1f95p-4, 0x1.3b13305105e6bp-4,
                                     -0x1.110912be694f7p-4, 0x1.e1336e34797f3p-5,  -0x1.a9fff0a8d5373p-5,
                                     0x1.6b2e272f5a443p-5,  -0x1.05852e1667c70p-5, 0x1.c0e78478d037fp-7};
// (atan t - t) / t^3, z = t^2, t <= 7/16; weighted error 2^-34.4
inline constexpr double kAtan32[] = {-0x1.555554559a09ep-2, 0x1.9998c9b8a8ee4p-3,  -0x1.2476032c17df6p-3,
                                     0x1.c3898b447c600p-4,  -0x1.567383f684920p-4, 0x1.713a6342c676ap-5};

// (asin x - x) / x^3, z = x^2 <= 1/4; weighted error 2^-63.8
inline constexpr double kAsin64[] = {0x1.5555555555553p-3,  0x1.3333333333a5dp-4,  0x1.6db6db6d46ee8p-5,
                                     0x1.f1c71ca8fb9bep-6,  0x1.6e8b9ad988eb7p-6,  0x1.1c4f876cfbc70p-6,
                                     0x1.c980aa3ae9b27p-7,  0x1.7ba648ffcf37dp-7,  0x1.36b4b1ba6d531p-7,
                                     0x1.484e5d496ea2cp-7,  0x1.557104d04d92fp-11, 0x1.97daa4791f5cep-6,
                                     -0x1.add6627ff357dp-6, 0x1.1402cbc2f5655p-5};
// (asin x - x) / x^3, z = x^2 <= 1/4; weighted error 2^-39.9
inline constexpr double kAsin32[] = {0x1.555555479d3afp-3,  0x1.333340bbf68c0p-4, 0x1.6db24ea6b5db5p-5,
                                     0x1.f28371db96d19p-6,  0x1.6633e25bdaa51p-6, 0x1.527b7cffebd4cp-6,
                                     0x1.fe927c564b8b3p-10, 0x1.0ddd9c0fc378ep-5};

// erf(x) / x - 2/sqrt(pi), z = x^2 <= 1; weighted error 2^-62.8
inline constexpr double kErf64[] = {0x1.20dd750429b6dp+0,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b34p-4,
                                    -0x1.b82ce31284f39p-6,  0x1.565bcd0dbd954p-8,   -0x1.c02db3db4a094p-11,
                                    0x1.f9a321e4c8d89p-14,  -0x1.f4d1e435f28e6p-17, 0x1.b9df306bc0757p-20,
                                    -0x1.5f1f4175cba55p-23, 0x1.f7b9a26a92995p-27,  -0x1.38ac31076fb8ep-30,
                                    0x1.06277eb745c57p-34};
// erf(x) / x - 2/sqrt(pi), z = x^2 <= 1; weighted error 2^-40.2
inline constexpr double kErf32[] = {0x1.20dd750428d5ep+0,  -0x1.812746adf85cap-2,  0x1.ce2f20adfe68cp-4,
                                    -0x1.b82cbbbe5f2c0p-6, 0x1.5658985db1625p-8,   -0x1.bfe23904719a6p-11,
                                    0x1.f586e2f500461p-14, -0x1.d2e0ffda389b8p-17, 0x1.1c92ef2938484p-20};

// e^(x^2) erfc(x), t = (x - 2) / (x + 2), 1 <= x <= 6.5; weighted error 2^-61.0
inline constexpr double kErfcx64[] = {
    0x1.058671b52c776p-2,   -0x1.b57034efd3f72p-2,  0x1.eeea7dc8a78b0p-3,   -0x1.437f0b68c0c46p-4,
    0x1.e9471597aac29p-9,   0x1.ca95ed534c017p-8,   -0x1.bc25a48a0bb9ap-11, -0x1.016b5cea02c81p-10,
    0x1.6d5f196001ca5p-15,  0x1.6da972279e757p-13,  0x1.cdc7918646f8bp-16,  -0x1.ceb2c25c91045p-16,
    -0x1.d447dacafa4bdp-17, 0x1.710b7270fd76ap-20,  0x1.f4f5199c005bcp-19,  0x1.5f2d9a79080b4p-20,
    -0x1.f6a268714fa76p-22, -0x1.9a8f7430770dfp-21, 0x1.ebc0cb91ffc2bp-23};
// e^(x^2) erfc(x), t = (x - 2) / (x + 2), 1 <= x <= 6.5; weighted error 2^-40.9
inline constexpr double kErfcx32[] = {0x1.058671b52be95p-2,   -0x1.b57034efd0250p-2,  0x1.eeea7dca67b80p-3,
                                      -0x1.437f0b7696e11p-4,  0x1.e946fa1f21cb6p-9,   0x1.ca96224ad6cdfp-8,
                                      -0x1.bc1cd99a2654ep-11, -0x1.017f0563cbc60p-10, 0x1.69e0e854e650ep-15,
                                      0x1.73c949886cdb5p-13,  0x1.bc234d9ed0e52p-16,  -0x1.3c4336938fc0fp-15};

// lgamma(1 + w) / (w (w - 1)), 0 <= w <= 1; weighted error 2^-65.7
inline constexpr double kLgamma64[] = {
    0x1.2788cfc6fb619p-1,  -0x1.f6465978d46e8p-3,  0x1.3e54520481e38p-3,  -0x1.d7a3e6a8ecc52p-4,
    0x1.79cf9c4b752ddp-4,  -0x1.3cb1f9bcaba1fp-4,  0x1.115548556988fp-4,  -0x1.e182202ec02a2p-5,
    0x1.ae89352d812a9p-5,  -0x1.856f59efb4052p-5,  0x1.6368e9e6b7038p-5,  -0x1.4646d853a5701p-5,
    0x1.2bacdbb99b330p-5,  -0x1.10608c63a0676p-5,  0x1.e097c3cf0e63ep-6,  -0x1.901e7c5f790b7p-6,
    0x1.2fc072c55d57cp-6,  -0x1.952fd46c3ae63p-7,  0x1.c8eeed6fe0921p-8,  -0x1.a1eb780715e60p-9,
    0x1.26e75ca48046fp-10, -0x1.2b47c0e9c46f4p-12, 0x1.82ed432c5fd6cp-15, -0x1.dd177638d8323p-19};
// lgamma(1 + w) / (w (w - 1)), 0 <= w <= 1; weighted error 2^-36.9
inline constexpr double kLgamma32[] = {0x1.2788cfc6eab22p-1,  -0x1.f646591b6b12ep-3, 0x1.3e543c53a45afp-3,
                                       -0x1.d79fed233752fp-4, 0x1.799ecc90ef9a3p-4,  -0x1.3b48cee336fe8p-4,
                                       0x1.0a80c1c7b4936p-4,  -0x1.b3d9367230979p-5, 0x1.40f7b75a2528ep-5,
                                       -0x1.843d1ccd5778ep-6, 0x1.5a09c4621f386p-7,  -0x1.8830c7ef08fd7p-9,
                                       0x1.a0bf413c67d17p-12};

}  // namespace bufferproof::kernels::math
