"""The golden vectors in docs/reference are what their program makes."""

import unittest

import canonical_json
import identity_vectors


class IdentityVectorsTest(unittest.TestCase):
    def test_the_files_are_up_to_date(self):
        for path, text in identity_vectors.files().items():
            self.assertEqual(path.read_text(), text, path.name)

    def test_numbers_are_exact(self):
        self.assertEqual(canonical_json.canonicalize("[9007199254740993, 1e2, 1e21]"), "[9007199254740993,100,1e+21]")


if __name__ == "__main__":
    unittest.main()
