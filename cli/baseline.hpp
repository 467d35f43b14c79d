// Findings that are known already and do not fail a build: a baseline report, and suppressions.
//
// A baseline is a JSON report of an earlier `check`; a finding with the same fingerprint is known. A
// suppression names a finding by fingerprint, or by class, buffer and reader, and must say why and until
// when; once expired it has no effect and is mentioned. Both still appear in the report. Tested by
// tests/cli/baseline_test.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/report.hpp"

namespace bufferproof::cli {

struct Suppression {
  std::string fingerprint;  ///< or class, buffer and reader; an empty one fits every finding
  std::string finding_class;
  std::string buffer;
  std::string reader;
  std::string reason;
  std::string expires;  ///< YYYY-MM-DD, the last day it holds
};

/// Fingerprints of all findings of a report. Raises InputError when the text is no such report.
std::set<std::string> read_baseline(const std::string& json, const std::string& file);

/// {"suppressions": [{"fingerprint" or "class"/"buffer"/"reader", "reason", "expires"}]}. Raises InputError
/// naming the entry when the reason or the expiry is missing, or when it names nothing.
std::vector<Suppression> read_suppressions(const std::string& json, const std::string& file);

/// Sets `standing` of every finding; returns a line per suppression that has expired or fits nothing.
/// `today`: YYYY-MM-DD.
std::vector<std::string> apply(const std::set<std::string>& baseline,
                               const std::vector<Suppression>& suppressions, const std::string& today,
                               const std::vector<ReportedFinding*>& findings);

/// UTC.
std::string today();

}  // namespace bufferproof::cli
