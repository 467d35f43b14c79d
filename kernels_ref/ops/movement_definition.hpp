// The definitions of the movement ops (movement.hpp): for every result element, where it comes from.
#pragma once

#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels::definition {

void reshape(const OpCall& call);
void broadcast(const OpCall& call);
void transpose(const OpCall& call);
void slice(const OpCall& call);
void insert_slice(const OpCall& call);
void concat(const OpCall& call);
void pad(const OpCall& call);
void repeat(const OpCall& call);
void flip(const OpCall& call);
void iota(const OpCall& call);
void arange(const OpCall& call);
void gather(const OpCall& call);
void take(const OpCall& call);

}  // namespace bufferproof::kernels::definition
