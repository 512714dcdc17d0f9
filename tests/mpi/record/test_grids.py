"""Cartesian topologies from MPI_Cart_create and MPI_Cart_sub to the archive, as other readers see it, and to the result."""
import pathlib
import tarfile
import unittest
import zlib

from run_mora import LAUNCHER, Case, checked_json, compile_c, mora

SOURCE = pathlib.Path(__file__).parents[1] / "recording/communicators.c"  # 2 x 2, periodic in the first; its columns


class Grids(Case):
    def test_a_grid_and_its_parts(self):
        compile_c([SOURCE], self.dir / "communicators")
        self.assertEqual(mora("record", "-o", "exp", LAUNCHER, "-n", "4", "./communicators", cwd=self.dir).returncode, 0)
        self.assert_sound(self.dir / "exp")
        grids = checked_json(mora("info", "--json", "exp", cwd=self.dir).stdout)["definitions"]["grids"]
        self.assertEqual(sorted((g["extents"], g["ranks"]) for g in grids), [([2], 2), ([2], 2), ([2, 2], 4)])
        import otf2
        with otf2.reader.open(str(self.dir / "exp/traces.otf2")) as trace:
            whole, = (t for t in trace.definitions.cart_topologies if len(t.dimensions) == 2)
            self.assertEqual([(d.size, d.cart_periodicity == otf2.CartPeriodicity.TRUE) for d in whole.dimensions], [(2, True), (2, False)])
            places = {c.rank: tuple(c.coordinates) for c in trace.definitions.cart_coordinates if c.topology == whole}
        self.assertEqual(places, {0: (0, 0), 1: (0, 1), 2: (1, 0), 3: (1, 1)})
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        with tarfile.open(self.dir / "exp/analysis.cubex") as cube:
            anchor = cube.extractfile("anchor.xml").read()
        anchor = (zlib.decompress(anchor, 31) if anchor[:2] == b"\x1f\x8b" else anchor).decode()
        self.assertEqual(anchor.count("<cart "), 3)
        self.assertIn('<dim size="2" periodic="true"/>\n<dim size="2" periodic="false"/>\n<coord locId="0">0 0</coord>\n<coord locId="1">0 1</coord>', anchor)


if __name__ == "__main__":
    unittest.main()
