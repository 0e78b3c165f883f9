"""The golden vectors in docs/reference are what their program makes."""

import pathlib
import re
import unittest

import canonical_json
import identity_vectors


class IdentityVectorsTest(unittest.TestCase):
    def test_the_files_are_up_to_date(self):
        for path, text in identity_vectors.files().items():
            self.assertEqual(path.read_text(), text, path.name)

    def test_the_program_on_the_page_makes_the_hash_that_it_shows(self):
        page = pathlib.Path("docs/reference/identity-hash.md").read_text()
        program = re.search(r"```python\n(.*?)```", page, re.S).group(1)
        *lines, call, shown = program.rstrip().splitlines()
        names = {}

        exec("\n".join(lines), names)

        self.assertEqual("# " + eval(call, names), shown)

    def test_numbers_are_exact(self):
        self.assertEqual(canonical_json.canonicalize("[9007199254740993, 1e2, 1e21]"), "[9007199254740993,100,1e+21]")


if __name__ == "__main__":
    unittest.main()
