#include "checker/certificate.hpp"

#include <nlohmann/json.hpp>

namespace bufferproof::checker {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Window& window) {
  if (window.everything) return {{"everything", true}};
  return {{"sizes", window.sizes}, {"strides", window.strides}, {"offset", window.offset}};
}

Json to_json(const Store& store) {
  return {{"writer", store.writer}, {"step", store.step}, {"window", to_json(store.window)}};
}

Json to_json(const Proof& proof) {
  Json out{{"rule", proof.rule}, {"obligation", proof.obligation}, {"method", proof.method}};
  if (proof.method == "solver") {
    out["smtlib"] = proof.smtlib;
    return out;
  }
  out["step"] = proof.step;
  out["need"] = to_json(proof.need);
  out["cover"] = to_json(proof.cover);
  out["later"] = Json::array();
  for (const Store& store : proof.later) out["later"].push_back(to_json(store));
  if (!proof.meant.empty()) out["meant"] = proof.meant;
  return out;
}

Json to_json(const Certificate& certificate) {
  Json out{{"program", certificate.program}, {"runtime", certificate.runtime}, {"symbols", Json::array()}};
  for (const Certificate::Symbol& symbol : certificate.symbols)
    out["symbols"].push_back({{"name", symbol.name}, {"lo", symbol.lo}, {"hi", symbol.hi}});
  out["assumptions"] = certificate.assumptions;
  out["proofs"] = Json::array();
  for (const Proof& proof : certificate.proofs) out["proofs"].push_back(to_json(proof));
  return out;
}

}  // namespace

std::string write_certificates(const std::vector<Certificate>& certificates) {
  Json out = Json::array();
  for (const Certificate& certificate : certificates) out.push_back(to_json(certificate));
  return out.dump(1) + "\n";
}

}  // namespace bufferproof::checker
