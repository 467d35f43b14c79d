// Each elementary function against MPFR: the stated ulp bound (kernels_ref/math/bounds.hpp) holds on every
// tried argument.
//
// Arguments: every 16th exponent's random mantissas, a dense range where the function bends, and the
// neighbours of hard spots. BUFFERPROOF_MPFR_POINTS raises the number of points (default 20000 a function and
// type). Prints the largest error found.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/math/bounds.hpp"
#include "kernels_ref/math/math.hpp"

namespace bufferproof::kernels::math {
namespace {

constexpr int kPrecision = 200;

class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  explicit Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

using Oracle = std::function<void(mpfr_ptr, mpfr_ptr, mpfr_ptr)>;  // out, x, y (unary functions ignore y)

struct Function {
  std::string name;
  std::function<float(float, float)> f32;
  std::function<double(double, double)> f64;
  Oracle oracle;
  double low, high;  // the range where the function bends
  bool binary = false;
};

template <typename F>
Function unary(std::string name, int (*oracle)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double low, double high) {
  return {std::move(name),
          [](float x, float) { return F{}(x); },
          [](double x, double) { return F{}(x); },
          [oracle](mpfr_ptr out, mpfr_ptr x, mpfr_ptr) { oracle(out, x, MPFR_RNDN); },
          low,
          high};
}
template <typename F>
Function binary(std::string name, int (*oracle)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t), double low,
                double high) {
  return {std::move(name),
          [](float x, float y) { return F{}(x, y); },
          [](double x, double y) { return F{}(x, y); },
          [oracle](mpfr_ptr out, mpfr_ptr x, mpfr_ptr y) { oracle(out, x, y, MPFR_RNDN); },
          low,
          high,
          true};
}

int mpfr_sigmoid(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_neg(out, x, mode);
  mpfr_exp(out, out, mode);
  mpfr_add_ui(out, out, 1, mode);
  return mpfr_ui_div(out, 1, out, mode);
}
int mpfr_rsqrt(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  if (!mpfr_zero_p(x) || !mpfr_signbit(x)) return mpfr_rec_sqrt(out, x, mode);
  mpfr_set_inf(out, -1);  // IEEE rSqrt keeps the sign of a zero; MPFR does not
  return 0;
}
int mpfr_lgamma_value(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  int sign = 0;
  return mpfr_lgamma(out, &sign, x, mode);
}

std::vector<Function> functions() {
  return {unary<Exp>("exp", mpfr_exp, -750, 715),    unary<Exp2>("exp2", mpfr_exp2, -1080, 1030),
          unary<Expm1>("expm1", mpfr_expm1, -3, 3),  unary<Sigmoid>("sigmoid", mpfr_sigmoid, -30, 30),
          unary<Tanh>("tanh", mpfr_tanh, -4, 4),     unary<Sinh>("sinh", mpfr_sinh, -35, 35),
          unary<Cosh>("cosh", mpfr_cosh, -35, 35),   unary<Log>("log", mpfr_log, 0.4, 3),
          unary<Log2>("log2", mpfr_log2, 0.4, 3),    unary<Log10>("log10", mpfr_log10, 0.4, 3),
          unary<Log1p>("log1p", mpfr_log1p, -1, 2),  unary<Asinh>("asinh", mpfr_asinh, -3, 3),
          unary<Acosh>("acosh", mpfr_acosh, 1, 4),   unary<Atanh>("atanh", mpfr_atanh, -1, 1),
          unary<Sin>("sin", mpfr_sin, -100, 100),    unary<Cos>("cos", mpfr_cos, -100, 100),
          unary<Tan>("tan", mpfr_tan, -100, 100),    unary<Asin>("asin", mpfr_asin, -1, 1),
          unary<Acos>("acos", mpfr_acos, -1, 1),     unary<Atan>("atan", mpfr_atan, -3, 3),
          unary<Erf>("erf", mpfr_erf, -6, 6),        unary<Lgamma>("lgamma", mpfr_lgamma_value, -10, 20),
          unary<Rsqrt>("rsqrt", mpfr_rsqrt, 0.2, 5), binary<Pow>("pow", mpfr_pow, 0, 30),
          binary<Atan2>("atan2", mpfr_atan2, -3, 3)};
}

int points_wanted() {
  const char* text = std::getenv("BUFFERPROOF_MPFR_POINTS");
  return text == nullptr ? 20000 : std::atoi(text);
}

template <typename T>
std::vector<T> arguments(const Function& f, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> dense(f.low, f.high);
  std::vector<T> out;
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      out.push_back(static_cast<T>(dense(random)));
    } else if constexpr (sizeof(T) == 4) {
      out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    } else {
      out.push_back(std::bit_cast<double>(static_cast<std::uint64_t>(random())));
    }
  }
  using Limits = std::numeric_limits<T>;
  for (int k = -8; k <= 8; ++k) {  // multiples of pi / 4, of ln 2 / 2, integers, halves, and their neighbours
    for (double hard :
         {k * 0.78539816339744831, k * 0.34657359027997264, k * 1.0, k * 0.5, std::ldexp(1.0, 7 * k)}) {
      const T x = static_cast<T>(hard);
      for (T y : {x, std::nextafter(x, Limits::infinity()), std::nextafter(x, -Limits::infinity())})
        out.push_back(y);
    }
  }
  for (T x :
       {Limits::max(), Limits::min(), Limits::denorm_min(), T(6381956970095103.0 * 0x1p797), T(0.0), T(1e22)})
    for (T y : {x, -x}) out.push_back(y);
  return out;
}

/// Distance of neighbouring values of T at |x|.
template <typename T>
double ulp_at(mpfr_ptr x) {
  const int digits = std::numeric_limits<T>::digits;
  const int lowest = std::numeric_limits<T>::min_exponent - digits;
  const int exponent = mpfr_zero_p(x) ? lowest : static_cast<int>(mpfr_get_exp(x)) - digits;
  return std::ldexp(1.0, std::max(exponent, lowest));
}

/// |got - exact| in ulp, after the bound's absolute part; 0 where both are the same special value.
template <typename T>
double error_in_ulps(T got, mpfr_ptr exact, double absolute) {
  if (std::isnan(got) || mpfr_nan_p(exact)) return std::isnan(got) == (mpfr_nan_p(exact) != 0) ? 0.0 : 1e9;
  if (std::isinf(got) || mpfr_inf_p(exact)) {
    const double rounded = sizeof(T) == 4 ? mpfr_get_flt(exact, MPFR_RNDN) : mpfr_get_d(exact, MPFR_RNDN);
    return static_cast<double>(got) == rounded ? 0.0 : 1e9;
  }
  Real difference;
  mpfr_sub_d(difference.get(), exact, static_cast<double>(got), MPFR_RNDN);
  mpfr_abs(difference.get(), difference.get(), MPFR_RNDN);
  mpfr_sub_d(difference.get(), difference.get(), absolute, MPFR_RNDN);
  mpfr_div_d(difference.get(), difference.get(), ulp_at<T>(exact), MPFR_RNDN);
  return std::max(mpfr_get_d(difference.get(), MPFR_RNDN), 0.0);
}

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class AgainstMpfr : public ::testing::TestWithParam<Function> {};

template <typename T, typename F>
void check(const Function& f, const F& compute, double bound, double absolute) {
  const FpStateGuard state;
  const int count = points_wanted();
  const std::vector<T> xs = arguments<T>(f, count, 1);
  std::vector<T> ys = arguments<T>(f, count, 2);
  double worst = 0;
  T worst_x = 0, worst_y = 0;
  Real exact;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    Real x(static_cast<double>(xs[i])), y(static_cast<double>(ys[i]));
    f.oracle(exact.get(), x.get(), y.get());
    const double absolute_here = xs[i] < 0 ? absolute : 0.0;
    const double error = error_in_ulps(compute(xs[i], ys[i]), exact.get(), absolute_here);
    if (error > worst) worst = error, worst_x = xs[i], worst_y = ys[i];
  }
  std::printf("%-8s f%d  %.4f ulp (bound %.3f) at %a, %a\n", f.name.c_str(), int(8 * sizeof(T)), worst, bound,
              double(worst_x), double(worst_y));
  EXPECT_LE(worst, bound) << f.name << " at " << worst_x << ", " << worst_y;
}

TEST_P(AgainstMpfr, TheStatedBoundHolds) {
  const Function& f = GetParam();
  const UlpBound* bound = find_ulp_bound(f.name);
  ASSERT_NE(bound, nullptr);
  check<float>(f, f.f32, bound->f32, bound->absolute_f64);
  check<double>(f, f.f64, bound->f64, bound->absolute_f64);
}

INSTANTIATE_TEST_SUITE_P(Math, AgainstMpfr, ::testing::ValuesIn(functions()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bufferproof::kernels::math
