"""Holds JSON documents against their schemas: usage: validate.py FOLDER SCHEMA=DOCUMENT...

Each document has to be valid; with one unknown member more, in any of its objects, or without its schema number, it must not be.
A document whose name ends in .jsonl is one of several lines.
"""
import copy
import json
import pathlib
import sys

import jsonschema


def validator(folder, name):
    schema = json.loads((folder / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def objects(value):
    """All objects in a value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from objects(member)


def shape(value):
    """What tells kinds of objects apart."""
    return tuple(sorted(value))


def check(against, document, what):
    errors = [f"{what}: {'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in against.iter_errors(document)]
    if errors:
        return errors
    changed = copy.deepcopy(document)
    seen = set()
    for found in objects(changed):
        if shape(found) in seen:
            continue
        seen.add(shape(found))
        found["unknown_member"] = None
        if against.is_valid(changed):
            errors.append(f"{what}: an unknown member is accepted beside {', '.join(list(found)[:4])}")
        del found["unknown_member"]
    first = changed[0] if isinstance(changed, list) else changed
    del first["schema"]
    if against.is_valid(changed):
        errors.append(f"{what}: a document without its schema number is accepted")
    return errors


def main(folder, pairs):
    errors = []
    count = 0
    for pair in pairs:
        name, path = pair.split("=", 1)
        text = pathlib.Path(path).read_text()
        against = validator(pathlib.Path(folder).resolve(), name)
        for part in text.splitlines() if path.endswith(".jsonl") else [text]:
            count += 1
            try:
                errors += check(against, json.loads(part), f"{name}, {path}")
            except ValueError as error:
                errors.append(f"{name}, {path}: no JSON: {error}: {part[:100]!r}")
    schemas = {p.stem for p in pathlib.Path(folder).glob("*.json")} - {pair.split("=")[0] for pair in pairs}
    errors += [f"{name}: no document was held against it" for name in sorted(schemas)]
    print("\n".join(errors + [f"{count} documents, {len(errors)} errors"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
