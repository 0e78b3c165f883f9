"""Tests of the rules of script/tidy: each is broken once, and kept once."""

import contextlib
import pathlib
import tempfile
import unittest

import errors
import examples
import headers
import layers
import links
import seeds
import shape
import words
from source import Source, blank


def messages(rule, path, text, **options):
    return [f"{found.line}: {found.message}" for found in rule(Source(path, text), **options)]


class Blanking(unittest.TestCase):
    def test_comments_and_literals_are_blanked_in_place(self):
        text = 'a("x;y"); // {b}\n/* c\n{ */ d(\'{\', 1\'000, R"(};)");\n'

        code = blank(text)

        self.assertEqual(len(code), len(text))
        self.assertEqual(code.count("\n"), text.count("\n"))
        for gone in "xbc{}":
            self.assertNotIn(gone, code)
        self.assertIn("1'000", code)

    def test_names_of_headers_stay(self):
        self.assertEqual(blank('#include "base/id.hpp"\n'), '#include "base/id.hpp"\n')


class Layers(unittest.TestCase):
    def check(self, path, *names):
        text = "".join(f"#include {name}\n" for name in names)
        return messages(layers.check, path, text, exists=lambda path: path == "src/domain/task.hpp")

    def test_a_lower_folder_may_not_include_a_higher_one(self):
        found = self.check("src/base/id.cpp", '"base/id.hpp"', '"domain/task.hpp"')

        self.assertEqual(len(found), 1)
        self.assertIn("2: base may not include domain", found[0])

    def test_a_higher_folder_may_include_a_lower_one(self):
        self.assertEqual(self.check("src/engine/submit.cpp", '"ports/store.hpp"', '"domain/task.hpp"'), [])

    def test_the_engine_knows_neither_stores_nor_apis(self):
        found = self.check("src/engine/submit.cpp", '"store/sqlite/writer.hpp"', '"api/codec/error.hpp"')

        self.assertEqual(len(found), 2)

    def test_one_store_does_not_know_another(self):
        self.assertEqual(len(self.check("src/store/memory/store.cpp", '"store/sqlite/writer.hpp"')), 1)

    def test_the_command_line_does_not_know_the_insides_of_stores(self):
        self.assertEqual(len(self.check("src/cli/main.cpp", '"store/sqlite/writer.hpp"')), 1)

    def test_an_include_is_written_from_the_root_of_src(self):
        self.assertEqual(len(self.check("src/domain/a.cpp", '"task.hpp"')), 0)
        self.assertEqual(len(self.check("src/domain/a.cpp", '"../domain/task.hpp"')), 1)
        self.assertEqual(len(self.check("src/domain/a.cpp", "<domain/task.hpp>")), 1)

    def test_public_headers_bring_nothing_but_json(self):
        kept = ["<string>", "<nlohmann/json.hpp>", '"semel/client.hpp"']
        broken = ["<boost/asio.hpp>", "<grpcpp/grpcpp.h>", "<fmt/format.h>", "<sqlite3.h>", '"sdk/backend.hpp"']

        self.assertEqual(self.check("include/semel/client.hpp", *kept), [])
        self.assertEqual(len(self.check("include/semel/client.hpp", *broken)), len(broken))

    def test_heavy_headers_stay_in_their_adapters(self):
        for path, header in [
            ("src/engine/a.cpp", "<boost/asio.hpp>"),
            ("src/domain/a.cpp", "<boost/unordered/unordered_flat_map.hpp>"),
            ("src/domain/a.cpp", "<nlohmann/json.hpp>"),
            ("src/engine/a.cpp", "<nlohmann/json.hpp>"),
            ("src/cli/a.cpp", "<sqlite3.h>"),
            ("src/store/sqlite/a.cpp", "<libpq-fe.h>"),
            ("src/api/http/a.cpp", "<grpcpp/server.h>"),
            ("src/engine/a.cpp", "<date/tz.h>"),
        ]:
            self.assertEqual(len(self.check(path, header)), 1, f"{header} in {path}")
        for path, header in [
            ("src/api/http/a.cpp", "<boost/asio.hpp>"),
            ("src/store/sqlite/a.cpp", "<boost/unordered/unordered_flat_map.hpp>"),
            ("src/store/sqlite/a.cpp", "<sqlite3.h>"),
            ("src/api/codec/a.cpp", "<nlohmann/json.hpp>"),
            ("src/base/a.cpp", "<openssl/evp.h>"),
            ("src/domain/schedule/a.cpp", "<date/tz.h>"),
            ("tests/contract/a.cpp", "<libpq-fe.h>"),
        ]:
            self.assertEqual(self.check(path, header), [], f"{header} in {path}")

    def test_a_folder_without_a_layer_is_found(self):
        self.assertEqual(len(self.check("src/misc/a.cpp")), 1)


class Words(unittest.TestCase):
    def test_threads_are_made_in_few_places(self):
        text = "std::jthread thread_;\n"

        self.assertEqual(len(messages(words.check, "src/engine/a.hpp", text)), 1)
        self.assertEqual(messages(words.check, "src/base/loop.hpp", text), [])
        self.assertEqual(messages(words.check, "tests/integration/a.cpp", text), [])
        self.assertEqual(messages(words.check, "src/engine/a.hpp", "std::thread::hardware_concurrency();\n"), [])

    def test_nothing_sleeps_and_no_test_is_skipped(self):
        for line in ["std::this_thread::sleep_for(1s);", "GTEST_SKIP();", "TEST(A, DISABLED_B) {"]:
            self.assertEqual(len(messages(words.check, "tests/unit/a.cpp", f"\n{line}\n")), 1, line)
        self.assertEqual(messages(words.check, "tests/unit/a.cpp", "// no sleep_for here\n"), [])

    def test_paths_of_one_machine_are_found_anywhere(self):
        for folder in ["work", "root", "home"]:
            self.assertEqual(len(messages(words.check, "docs/a.md", f"see `/{folder}/me`\n")), 1, folder)
        self.assertEqual(messages(words.check, "docs/a.md", "POST /v1/worker/poll and /v1/work/x\n"), [])

    def test_only_one_file_is_compiled_with_paths_of_the_checkout(self):
        for value in ("${PROJECT_SOURCE_DIR}", "${PROJECT_BINARY_DIR}/a", "$<TARGET_FILE:a>"):
            text = f'target_compile_definitions(a PRIVATE B=1\n  C="{value}")\n'
            self.assertEqual(len(messages(words.check, "tests/CMakeLists.txt", text)), 1, value)
            kept = text.replace("(a ", "(test_places ")
            self.assertEqual(messages(words.check, "tests/CMakeLists.txt", kept), [])
        self.assertEqual(messages(words.check, "tests/CMakeLists.txt", "target_include_directories(a ${PROJECT_SOURCE_DIR})"), [])

    def test_an_unfinished_place_names_its_issue(self):
        word = "TO" + "DO"
        self.assertEqual(len(messages(words.check, "src/base/a.cpp", f"// {word}: later\n")), 1)
        self.assertEqual(messages(words.check, "src/base/a.cpp", f"// {word}(#12): later\n"), [])


class Shape(unittest.TestCase):
    def test_a_long_file_is_found(self):
        self.assertEqual(messages(shape.check, "tests/a.cpp", "int a;\n" * 400), [])
        self.assertEqual(len(messages(shape.check, "tests/a.cpp", "int a;\n" * 401)), 1)
        self.assertEqual(messages(shape.check, "tests/a.sql", "select 1;\n" * 401), [])

    def test_a_long_function_is_found_at_its_first_line(self):
        for head in [
            "int f(int a) {",
            "A::A(int a) : a_(a), b_{a}, c_{1, 2} {",
            "TEST(Suite, Name) {",
            "const auto f = [](int a) {",
            "template <typename T>\nint f(T a)\n    requires true\n{",
        ]:
            start = f"#pragma once\nnamespace a {{\nclass B {{\n public:\n{head}\n"
            lines = 70 - head.count("\n") - 2
            good = messages(shape.check, "src/base/a.hpp", start + "  if (a) { b(); }\n" * lines + "}\n};\n}\n")
            bad = messages(shape.check, "src/base/a.hpp", start + "  if (a) { b(); }\n" * (lines + 1) + "}\n};\n}\n")
            self.assertEqual(good, [], head)
            self.assertEqual(len(bad), 1, head)
            self.assertTrue(bad[0].startswith("5: the function has 71 lines"), bad[0])

    def test_tables_and_classes_are_not_functions(self):
        for head in ["struct A {", "constexpr std::array<Row, 90> rows{{", "const Row rows[] = {", "enum class A {"]:
            ending = "}};" if head.endswith("{{") else "};"
            self.assertEqual(messages(shape.check, "src/base/a.cpp", f"{head}\n" + "  a(1),\n" * 90 + ending), [], head)

    def test_a_long_python_function_is_found(self):
        self.assertEqual(len(messages(shape.check, "script/lib/a.py", "def f():\n" + "    a()\n" * 70)), 1)

    def test_a_header_has_pragma_once(self):
        self.assertEqual(len(messages(shape.check, "src/base/a.hpp", "// #pragma once\nint a;\n")), 1)
        self.assertEqual(messages(shape.check, "src/base/a.hpp", "// What it is.\n#pragma once\nint a;\n"), [])

    def test_the_own_header_comes_first(self):
        def check(text):
            return messages(shape.check_own_header_first, "src/base/a.cpp", text, exists=lambda path: True)

        self.assertEqual(len(check('#include <string>\n\n#include "base/a.hpp"\n')), 1)
        self.assertEqual(check('#include "base/a.hpp"\n\n#include <string>\n'), [])

    def test_what_breaks_beside_co_await_is_found(self):
        def check(statement):
            return messages(shape.check, "src/api/http/a.cpp", f"Awaitable f() {{\n  {statement}\n}}\n")

        for bad in [
            "co_await send(Options{.n = 1});",
            "co_await send({1, 2});",
            "auto a = b ? co_await c() : d;",
            "co_await run([session] { session->go(); });",
            "co_await run([=] { go(); });",
            "co_await run([&, a] { go(a); });",
        ]:
            self.assertEqual(len(check(bad)), 1, bad)
        for good in [
            "auto [error, size] = co_await read(stream, as_tuple(use_awaitable));",
            "co_await run([&] { go(); });",
            "co_await run([this, &a] { go(a); });",
            "co_await send(list[i]);",
            "if (co_await a()) {\n    b({1});\n  }",
            "Options o{.n = 1};\n  co_await send(o);",
            "co_await send(use_awaitable_t<>{});",
        ]:
            self.assertEqual(check(good), [], good)


class Headers(unittest.TestCase):
    def test_the_hash_changes_with_a_header_below(self):
        def digest(text):
            a = Source("src/base/a.hpp", '#include "base/b.hpp"\n')
            b = Source("src/base/b.hpp", text)
            by_path = {a.path: a, b.path: b}
            return headers.digest(by_path, headers.closure(by_path, a.path), b"")

        self.assertEqual(digest("int b;\n"), digest("int b;\n"))
        self.assertNotEqual(digest("int b;\n"), digest("long b;\n"))

    def test_what_many_include_is_a_base_of_what_includes_it(self):
        below = {"a": {"a"}, "b": {"a", "b"}, "other": {"other"}}
        below |= {f"c{i}": {"a", "b", f"c{i}"} for i in range(9)}

        bases = headers.choose_bases(below)

        self.assertEqual(bases, ["b"])
        self.assertEqual(headers.best_base(below, "c1", bases), "b")
        self.assertIsNone(headers.best_base(below, "other", bases))

    def test_a_header_gets_nothing_that_it_does_not_include(self):
        texts = {
            "src/base/a.hpp": "#pragma once\n#include <string>\nstruct A { std::string text; };\n",
            "src/base/b.hpp": '#pragma once\n#include "base/a.hpp"\nstruct B { A a; std::string more; };\n',
            "src/base/c.hpp": '#pragma once\n#include "base/a.hpp"\nstruct C { A a; std::vector<int> more; };\n',
            "src/base/d.hpp": "#pragma once\nstruct D { A a; };\n",
        }
        texts |= {f"src/base/e{i}.hpp": '#pragma once\n#include "base/a.hpp"\n' for i in range(5)}
        sources = [Source(path, text) for path, text in texts.items()]
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for path, text in texts.items():
                pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
                pathlib.Path(path).write_text(text)
            found = {finding.path: finding.message for finding in headers.check(sources)}
            again = {finding.path for finding in headers.check(sources)}

        self.assertEqual(found.keys(), {"src/base/c.hpp", "src/base/d.hpp"})
        self.assertIn("vector", found["src/base/c.hpp"])
        self.assertEqual(again, found.keys())


class Errors(unittest.TestCase):
    def check(self, page):
        enum = Source("src/base/error.hpp", "enum class ErrorCode : std::uint8_t {\n  bad_request,\n  not_found,\n};\n")
        return [finding.message for finding in errors.check([enum, Source("docs/errors/README.md", page)])]

    def test_enum_table_and_sections_have_the_same_codes(self):
        lines = "| `BAD_REQUEST` | 400 |\n| `NOT_FOUND` | 404 |\n"
        sections = "## `BAD_REQUEST`\n## `NOT_FOUND`\n"

        self.assertEqual(self.check(lines + sections), [])

    def test_a_missing_or_strange_line_is_found(self):
        found = self.check("| `BAD_REQUEST` | 400 |\n| `GONE` | 410 |\n## `BAD_REQUEST`\n## `NOT_FOUND`\n")

        self.assertEqual(len(found), 2)
        self.assertIn("no line for NOT_FOUND", found[0])
        self.assertIn("GONE", found[1])

    def test_a_missing_or_strange_section_is_found(self):
        found = self.check("| `BAD_REQUEST` | 400 |\n| `NOT_FOUND` | 404 |\n## `BAD_REQUEST`\n## `GONE`\n")

        self.assertEqual(len(found), 2)
        self.assertIn("no section for NOT_FOUND", found[0])
        self.assertIn("GONE", found[1])


class Links(unittest.TestCase):
    def check(self, text):
        page = Source("docs/guide/a.md", text)
        other = Source("docs/errors/README.md", "# Errors\n## `BAD_REQUEST`\n## May it be done again?\n```\n# no heading\n```\n")
        known = {page.path, other.path, "docs/adr"}
        return [f"{found.line}: {found.message}" for found in links.check([page, other], exists=known.__contains__)]

    def test_links_to_files_headings_and_elsewhere_are_good(self):
        good = "# Here\n[a](../errors/README.md) [b](../errors/README.md#bad_request) [c](#here) [d](../adr)\n" \
               "[e](../errors/README.md#may-it-be-done-again) [f](https://semver.org)\n```\n[g](gone.md)\n```\n"

        self.assertEqual(self.check(good), [])

    def test_a_file_or_a_heading_that_is_not_there_is_found(self):
        found = self.check("[a](b.md)\n[c](../errors/README.md#gone)\n[d](#gone) [e\nf](../errors/README.md#no-heading)\n")

        self.assertEqual([message[:2] for message in found], ["1:", "2:", "3:", "3:"])
        self.assertIn("no file", found[0])
        self.assertIn("no heading", found[1])


class Examples(unittest.TestCase):
    def check(self, text, path="docs/guide/a.md"):
        test = Source("tests/a_test.cpp", "// docs/guide/a.md\n")
        other = Source("tests/b_test.cpp", "// runs script/server\n")
        sources = [Source(path, text), test, other]
        known = {source.path for source in sources}
        return [f"{found.line}: {found.message}" for found in examples.check(sources, exists=known.__contains__)]

    def test_examples_that_a_test_runs_are_good(self):
        tour = "<!-- tour -->\n```sh\na\n```\n<!-- output of: b -->\n```\nc\n```\n<!-- /tour -->\n"
        files = "```toml\na = 1\n```\n```yaml\na: 1\n```\n```json\n{}\n```\n"
        servers = "```sh\nsemel server --threads 2\nSEMEL_THREADS=2 semel server   # so\n```\n"
        marked = "<!-- run by tests/a_test.cpp -->\n```cpp\na();\n```\n<!-- not run: it needs a public address -->\n```sh\nb\n```\n"
        by_word = "<!-- run by tests/b_test.cpp -->\n```sh\nscript/server\n```\n"
        every = "<!-- every cpp is run by tests/a_test.cpp -->\n```cpp\na();\n```\n```cpp\nb();\n```\n"

        for text in (tour, files, servers, marked, by_word, every):
            self.assertEqual(self.check(text), [], text)
        self.assertEqual(self.check("```sql\nselect 1\n```\n", path="docs/adr/0001-a.md"), [])

    def test_an_example_that_nothing_runs_is_found(self):
        for text in ("```sh\na\n```\n", "```sh\nsemel server &\na\n```\n", "<!-- tour -->\n```cpp\na();\n```\n<!-- /tour -->\n"):
            self.assertEqual(len(self.check(text)), 1, text)
        self.assertEqual(len(self.check("```sh\na\n```\n", path="README.md")), 1)

    def test_a_mark_that_says_nothing_or_what_is_not_so_is_found(self):
        found = self.check(
            "<!-- not run: why -->\n```sh\na\n```\n<!-- run by tests/gone.cpp -->\n```sh\nb\n```\n"
            "<!-- run by tests/b_test.cpp -->\n```sh\nzip\n```\n<!-- output of: d -->\n```\ne\n```\n<!-- tour -->\n"
        )

        self.assertEqual([message.split(":")[0] for message in found], ["1", "2", "6", "10", "14"])
        for message, words in zip(found, ("does not end", "say why", "not there", "names neither", "within a tour")):
            self.assertIn(words, message)


class Seeds(unittest.TestCase):
    def test_a_route_without_a_seed_is_found(self):
        table = Source(seeds.TABLE, 'constexpr\n    Route{"GET", "/v1/a", b},\n    Route{"PUT", "/v1/a/{id}", b},\n')
        seed = Source("fuzz/corpus/api/a", "GET /v1/a ?b=1\n")

        self.assertEqual([found.line for found in seeds.check([table, seed])], [3])


if __name__ == "__main__":
    unittest.main()
