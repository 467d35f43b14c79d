#!/usr/bin/env python3
"""Writes aten_schemas.txt: what PyTorch's operator registry says each operator mutates, aliases and returns.

Needs an installed PyTorch (any recent CPU build). Default values are left out; what a schema cannot say is added from
the two lists below as a comment behind the line, which the reader understands:
  # part: NAME   the argument is stored to only in part (it keeps, and may need, its other elements)
  # fresh: NAME  the argument is stored to wholly and its earlier contents are not read
Run: python3 model/data/generate_aten_schemas.py > model/data/aten_schemas.txt
"""
import importlib
import re

import torch

NAMESPACES = ("aten", "prims", "inductor", "inductor_prims", "rngprims", "_c10d_functional", "mkldnn", "mkl", "onednn",
              "fsdp", "symm_mem", "quantized_decomposed", "_quantized")
# Modules that register operators when they are imported.
MODULES = ("torch._inductor.inductor_prims", "torch.distributed.fsdp._fully_shard._fsdp_collectives",
           "torch.distributed._symmetric_memory", "torch.ao.quantization.fx._decomposed")
PART = ("index_put_ _index_put_impl_ _unsafe_index_put_ scatter_ scatter_add_ scatter_reduce_ masked_fill_ "
        "masked_scatter_ index_add_ index_copy_ index_fill_ index_reduce_ put_ fill_diagonal_ tril_ triu_").split()
FRESH = ("copy_ fill_ zero_ normal_ uniform_ random_ bernoulli_ cauchy_ exponential_ geometric_ log_normal_").split()


def condensed(schema):
    text = re.sub(r"=(\[[^\]]*\]|'[^']*'|\"[^\"]*\"|[^,)\s]+)", "", str(schema))
    return re.sub(r"\s+", " ", text)


def annotation(schema):
    base = schema.name.split("::")[1]
    names = [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write]
    if base in PART:
        return f"  # part: {names[0]}" if names else ""
    if base in FRESH and names:
        return f"  # fresh: {names[0]}"
    return ""


def main():
    print("# Operator schemas: what each operator mutates (a!), aliases (a) and returns. Facts of the registry of PyTorch")
    print(f"# {torch.__version__.split('+')[0]} (BSD-3-Clause), default values left out; written by generate_aten_schemas.py.")
    print("# part / fresh: see there. The same form serves --schema FILE.")
    for module in MODULES:
        importlib.import_module(module)
    lines = set()
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.split("::")[0] in NAMESPACES and "Tensor" in str(schema):
            lines.add(condensed(schema) + annotation(schema))
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
