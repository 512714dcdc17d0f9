"""An independent reader of .cubex files: tarfile, ElementTree and struct, written from docs/formats/cubex.md alone."""
import struct
import tarfile
import xml.etree.ElementTree as ElementTree

FORMATS = {"DOUBLE": "d", "UINT64": "Q", "INT64": "q"}


def depth_first(nodes):
    for node in nodes:
        yield node
        yield from depth_first(node.findall("cnode"))


def read_cubex(path):
    """{metric id of Mora: {(call path, rank, thread): value}}, and the anchor; a call path is (name, mod, line) from the root."""
    with tarfile.open(path) as archive:
        members = {m.name: archive.extractfile(m).read() for m in archive.getmembers()}
    anchor = ElementTree.fromstring(members["anchor.xml"])
    regions = {r.get("id"): r for r in anchor.findall("program/region")}
    parents = {child: parent for parent in anchor.iter("cnode") for child in parent.findall("cnode")}

    def names(node):
        own = [(regions[node.get("calleeId")].findtext("name"), node.get("mod"), node.get("line"))]
        return (names(parents[node]) if node in parents else []) + own

    locations = sorted(
        (int(location.get("Id")), int(group.findtext("rank")), int(location.findtext("rank")))
        for group in anchor.iter("locationgroup")
        for location in group.findall("location")
    )
    rows = [tuple(names(node)) for node in depth_first(anchor.findall("program/cnode"))]
    assert len(set(rows)) == len(rows)
    values = {}
    for metric in anchor.iter("metric"):
        assert metric.get("type") == "EXCLUSIVE"
        number = metric.get("id")
        name = next(a.get("value") for a in metric.findall("attr") if a.get("key") == "mora:id")
        index, data = members[number + ".index"], members[number + ".data"]
        assert index[:11] == b"CUBEX.INDEX" and data[:10] == b"CUBEX.DATA"
        one, version, kind, count = struct.unpack_from("<IHBI", index, 11)
        assert (one, version, kind) == (1, 0, 1)
        positions = struct.unpack_from(f"<{count}I", index, 22)
        assert len(index) == 22 + 4 * count and list(positions) == sorted(positions)
        cells = struct.unpack_from(f"<{count * len(locations)}{FORMATS[metric.findtext('dtype')]}", data, 10)
        assert len(data) == 10 + 8 * len(cells)
        values[name] = {}
        for i, position in enumerate(positions):
            for column, (_, rank, thread) in enumerate(locations):
                if cell := cells[i * len(locations) + column]:
                    values[name][(rows[position], rank, thread)] = cell
    return values, anchor
