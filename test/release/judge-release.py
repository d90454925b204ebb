"""Reads the lists of components and the provenance of a release as their own libraries do, and prints what is wrong."""
import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

release = pathlib.Path(sys.argv[1])
faults = []
schema = JsonStrictValidator(SchemaVersion.V1_5)
for path in sorted(release.glob("sbom/*.json")):
    fault = schema.validate_str(path.read_text())
    if fault is not None:
        faults.append(f"{path.name}: {fault}")
text = (release / "provenance.intoto.json").read_text()
try:
    # A key that the definitions do not have is refused.
    Statement.copy_from_pb(json_format.Parse(text, statement_pb2.Statement())).validate()
    json_format.Parse(json.dumps(json.loads(text)["predicate"]), provenance_pb2.Provenance())
except (ValueError, json_format.ParseError) as error:
    faults.append(f"provenance: {error}")
print(json.dumps(faults))
