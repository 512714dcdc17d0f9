"""Holds what Mora writes as JSON to the schemas of docs/formats/schema/ (python3-jsonschema).

The schemas let readers meet keys that they do not know; here none is allowed that a schema does not name, so that every key is
described.
"""
import functools
import json
import pathlib
import re

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs/formats/schema"


def closed(schema):
    """The same schema without room for other keys."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return made


@functools.lru_cache(maxsize=None)
def validator(name):
    """Of one schema, with what it refers to."""
    base = "https://mora.invalid/"
    read = {base + path.name: closed(json.loads(path.read_text()))
            for path in (SCHEMAS / f"{name}.json", SCHEMAS / "common.json")}
    own = f"{base}{name}.json"
    return jsonschema.Draft202012Validator(read[own], resolver=jsonschema.RefResolver(own, read[own], store=read))


def problems(text):
    """What is wrong with one JSON document, as lines; none if it is as its schema says."""
    document = json.loads(text)
    name = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(name, str) or not re.fullmatch(r"mora-[a-z-]+", name):
        return ["it names no schema"]
    if not (SCHEMAS / f"{name}.json").is_file():
        return [f"docs/formats/schema/{name}.json is missing"]
    return [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
            for error in list(validator(name).iter_errors(document))[:5]]
