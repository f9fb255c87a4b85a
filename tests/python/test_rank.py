"""Tests rankings: their contents and text form."""
import copy
import re
import unittest
import xml.etree.ElementTree

import numpy
import tcplan

SHAPES = (24, 8), (8, 20, 20)


class Estimated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ranking = tcplan.rank("ai,ibc->abc", *SHAPES, effort="estimate")

    def test_it_is_a_sequence_of_algorithms(self):
        ranking = self.ranking
        self.assertGreaterEqual(len(ranking), 3)  # algorithms that cannot be faster than the best are left out
        self.assertEqual([line.rank for line in ranking], list(range(1, len(ranking) + 1)))
        self.assertEqual([line for line in ranking if line.chosen], [ranking.best])
        seconds = [line.seconds for line in ranking if line.status == "predicted"]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual(ranking[ranking[2].name], ranking[2])
        self.assertEqual([line.name for line in ranking[:2]], [ranking[0].name, ranking[1].name])
        self.assertEqual(len({line.name for line in ranking}), len(ranking))
        self.assertGreaterEqual(ranking.algorithms, len(ranking))
        with self.assertRaises(tcplan.InputError):
            ranking["no-such"]

    def test_its_lines_have_times(self):
        predicted = [line for line in self.ranking if line.status == "predicted"]
        self.assertTrue(predicted)
        for line in predicted:
            self.assertEqual(line.basis, "estimate")
            self.assertTrue(0 < line.low <= line.seconds <= line.high, line)
            self.assertAlmostEqual(line.gflops, 1e-9 * self.ranking.flops / line.seconds)

    def test_it_says_what_was_ranked(self):
        self.assertEqual(self.ranking.notation, "C_abc=A_ai*B_ibc")
        self.assertEqual(self.ranking.flops, 2 * 24 * 8 * 20 * 20)
        self.assertEqual((self.ranking.dtype, self.ranking.threads), (numpy.dtype("float64"), 1))

    def test_its_names_make_plans(self):
        a, b = numpy.ones(SHAPES[0]), numpy.ones(SHAPES[1])
        for line in self.ranking[:3]:
            plan = tcplan.plan("ai,ibc->abc", a, b, algorithm=line.name)
            self.assertEqual(plan.algorithm, line.name)
            self.assertTrue((plan(a, b) == 8).all())

    def test_the_text_has_a_line_for_each_algorithm_that_is_shown(self):
        text = self.ranking.text(top=5)
        self.assertEqual(text.split("\n")[0], "C_abc=A_ai*B_ibc; float64, 1 thread, 153.6 kFLOP")
        rows = [line for line in text.split("\n") if re.match(r" *\d+[=* ] ", line)]
        self.assertEqual(len(rows), min(5, len(self.ranking)) + (self.ranking.best.rank > 5))
        for row, line in zip(rows, self.ranking):
            self.assertIn(f" {line.name} ", row)
            self.assertEqual("(baseline)" in row, line.baseline)
            self.assertIn(f" {line.seconds / self.ranking[0].seconds:.2f}x ", row)
        self.assertEqual(repr(self.ranking), self.ranking.text())
        self.assertIn("algorithms", text.split("\n")[-1])

    def test_the_last_line_counts_in_the_words_of_the_command(self):
        ranking = copy.copy(self.ranking)
        ranking.algorithms, ranking.pruned, ranking.open = 142, 7, 118
        last = ranking.text(top=len(ranking)).split("\n")[-1]
        counts = "142 algorithms, 7 ruled out by a lower bound, 118 skipped as predicted slower; planned in "
        self.assertEqual(last[:len(counts)], counts)

    def test_nothing_to_multiply_is_ranked_and_printed(self):
        text = tcplan.rank("C_ab=A_ai*B_ib", sizes="a=3,b=4,i=0", effort="estimate").text()
        self.assertRegex(text, r"\n +1 +ab-ddot .* - ")

    def test_the_table_of_a_notebook_is_well_formed(self):
        page = xml.etree.ElementTree.fromstring(f"<div>{self.ranking._repr_html_()}</div>")
        rows = page.findall("./table/tbody/tr")
        self.assertEqual(len(rows), len(self.ranking.table()) - 1)
        self.assertEqual(rows[0][1].text, self.ranking[0].name)
        self.assertEqual(len(page.findall("./table/thead/tr/th")), len(rows[0]))


class Measured(unittest.TestCase):
    def test_what_was_timed_says_on_what_it_stands(self):
        ranking = tcplan.rank("ai,ibc->abc", *SHAPES, effort="quick")
        self.assertIn(ranking.best.basis, ("runs", "windows", "long windows", "probes"))
        self.assertGreater(ranking.planning_seconds, 0)

    def test_arrays_and_the_librarys_notation_are_ranked(self):
        a, b = numpy.ones((6, 4), "float32")[::2], numpy.ones((4, 5), "float32")
        self.assertEqual(tcplan.rank("ij,jk", a, b, effort="estimate").dtype, numpy.dtype("float32"))
        self.assertEqual(tcplan.rank("C_ab=A_ai*B_ib", sizes="a=3,b=4,i=5", effort="estimate").flops, 120)


if __name__ == "__main__":
    unittest.main()
