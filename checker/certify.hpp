// Proofs as they go into the certificate.
#pragma once

#include "checker/certificate.hpp"
#include "checker/judge.hpp"

namespace bufferproof::checker {

/// Of a read that one store covers (Judged::by_algebra).
Proof covered(const World& world, const Read& read, const Event& cover,
              const std::vector<const Event*>& later);

/// Of a question that has no witness.
Proof solved(const Question& question, std::string smtlib);

}  // namespace bufferproof::checker
