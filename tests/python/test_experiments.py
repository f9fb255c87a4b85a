"""Tests experiments that Python writes, and reports that it reads."""
import os
import runpy
import tempfile
import unittest
import xml.etree.ElementTree as tree

from tcplan.experiments import Experiment, rows

REPORT = """<report format="1" checksum="0">
  <experiment format="1" name="x" library="blis" cores="close" counters="misses cycles" checksum="0">
    <range variable="n" values="10,20:40:20"/>
    <sum variable="k" values="0,1"/>
    <call routine="dgemm">m=n</call>
    <call routine="ddot" name="dots">n=n</call>
    <call routine="dgemm">m=1</call>
  </experiment>
  <provenance id="1" host="h" library="blis: BLIS 0.9.0" ticks_per_second="1000000" checksum="0"><part name="CPU" value="c"/></provenance>
  <run unit="0" provenance="1" finished="" checksum="0">
    <samples point="2" repetition="1" ticks="1000 1 2 3 4 5" disturbed="0" counts="7 - 1 1 1 1 1 1 1 1 1 1"/>
  </run>
</report>"""


class Experiments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "x.xml")

    def read(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)
        return list(rows(self.path))

    def test_a_row_is_a_call_with_its_place(self):
        found = self.read(REPORT)
        self.assertEqual([row["call"] for row in found], ["dgemm1", "dots", "dgemm2"] * 2)
        self.assertEqual([row["sum"] for row in found], [0, 0, 0, 1, 1, 1])
        self.assertEqual(found[0], {
            "experiment": "x", "library": "blis: BLIS 0.9.0", "host": "h", "cpu": "c", "cores": "close", "memory": None,
            "repetition": 1, "n": 40, "sum": 0, "call": "dgemm1", "ticks": 1000, "seconds": 0.001, "disturbed": True,
            "misses": 7.0, "cycles": None})
        self.assertFalse(found[1]["disturbed"])

    def test_other_ticks_are_other_seconds(self):
        self.assertEqual(self.read(REPORT.replace("1000 1 2", "3000 1 2"))[0]["seconds"], 0.003)

    def test_a_call_has_the_library_that_it_names(self):
        text = REPORT.replace('name="dots"', 'name="dots" library="openblas"').replace(
            "blis: BLIS 0.9.0", "openblas: OpenBLAS 0.3.21; blis: BLIS 0.9.0")
        self.assertEqual([row["library"] for row in self.read(text)[:2]], ["blis: BLIS 0.9.0", "openblas: OpenBLAS 0.3.21"])
        self.assertIn('library="blis"', str(Experiment("y").call("ddot", library="blis", n=3)))

    def test_parallel_calls_have_one_row(self):
        text = REPORT.replace('name="x"', 'name="x" parallel_calls="true"').replace("1000 1 2 3 4 5", "1000 1").replace(
            "7 - 1 1 1 1 1 1 1 1 1 1", "7 - 1 1")
        self.assertEqual([(row["call"], row["sum"]) for row in self.read(text)], [("all", 0), ("all", 1)])

    def test_an_experiment_has_the_elements_in_their_order(self):
        experiment = Experiment("y", title="a < b", threads="n", shuffle=False, repetitions=3)
        experiment.range("n", [1, 2]).sum("k", "0:n", parallel=True)
        experiment.call("dgemm", name="update", m="n - 1", A="A").operand("A", "rep", along=0)
        self.assertEqual(str(experiment), """<experiment format="1" name="y" threads="n" repetitions="3">
  <title>a &lt; b</title>
  <range variable="n" values="1,2" />
  <sum variable="k" values="0:n" parallel="true" />
  <call routine="dgemm" name="update">m=n-1 A=A</call>
  <operand name="A" vary="rep" along="0" />
</experiment>
""")
        experiment.write(self.path)
        self.assertEqual(tree.parse(self.path).getroot().find("title").text, "a < b")

    def test_one_script_has_the_figures_of_chapter_3_for_any_library(self):
        script = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "papers", "kernels.py")
        experiments = runpy.run_path(script)["experiments"]
        found = {library: {figure: str(experiment) for figure, experiment in experiments({"library": library, "repetitions": 2})}
                 for library in ("openblas", "blis", "blas1")}
        figures = ["3.1", "3.2", "3.3", "3.4", "3.5a", "3.5b", "3.6", "3.7", "3.8", "3.8A", "3.8B", "3.8AB"]
        for library, texts in found.items():
            self.assertEqual(list(texts), figures)
            for figure, text in texts.items():
                self.assertEqual(text, found["openblas"][figure].replace('library="openblas"', f'library="{library}"'))
        self.assertIn('<operand name="A" vary="rep" />', found["blis"]["3.8A"])
        self.assertNotIn('<operand name="B"', found["blis"]["3.8A"])
        self.assertEqual(found["blis"]["3.1"].count('routine="dtrsm"'), 16)


if __name__ == "__main__":
    unittest.main()
