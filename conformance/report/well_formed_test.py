#!/usr/bin/env python3
"""The golden page and JUnit's file are well-formed, stand alone, and say what the run found."""

import pathlib
import unittest
import xml.etree.ElementTree as tree

GOLDEN = pathlib.Path("conformance/report/testdata/golden")
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.page = tree.parse(GOLDEN / "report.html").getroot()
        cls.text = "".join(cls.page.itertext())

    def test_is_html_that_needs_no_other_file(self) -> None:
        self.assertEqual(self.page.tag, HTML + "html")
        for element in self.page.iter():
            self.assertNotIn("src", element.attrib)
            self.assertNotIn(element.tag, (HTML + "script", HTML + "link", HTML + "img"))
            self.assertTrue(element.get("href", "#").startswith("#"), element.get("href"))

    def test_each_link_leads_somewhere(self) -> None:
        ids = [element.get("id") for element in self.page.iter() if element.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        links = [a.get("href")[1:] for a in self.page.iter(HTML + "a")]
        self.assertTrue(links)
        self.assertLessEqual(set(links), set(ids))

    def test_shows_both_sides_the_command_and_a_lane_for_each_path(self) -> None:
        for text in ("metaroce replay --dut './my <dut>' --only fails", "base = 1 & <2>"):
            self.assertIn(text, self.text)
        cells = [[cell.text or "" for cell in row] for row in self.page.iter(HTML + "tr")]
        self.assertIn(["base", "1", "3"], cells)
        drawing = next(self.page.iter(SVG + "svg"))
        lanes = [t.text for t in drawing.iter(SVG + "text") if t.get("font-weight") == "bold"]
        self.assertEqual(lanes, ["path 2", "path 3"])
        self.assertTrue([t for t in drawing.iter(SVG + "title") if "WRITE number 0" in t.text])

    def test_no_text_lies_on_another_in_the_drawing(self) -> None:
        for drawing in self.page.iter(SVG + "svg"):
            places = [(t.get("x"), t.get("y")) for t in drawing.iter(SVG + "text")]
            self.assertEqual(len(places), len(set(places)))


class JUnitTest(unittest.TestCase):
    def test_has_a_case_and_a_time_for_each_vector(self) -> None:
        root = tree.parse(GOLDEN / "report.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        for suite in root:
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases))
            if suite.get("name") != "run":
                self.assertTrue(all(float(case.get("time")) > 0 for case in cases))


if __name__ == "__main__":
    unittest.main()
