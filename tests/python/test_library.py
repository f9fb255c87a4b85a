"""Tests the functions that the package calls: those of the first tier of headers, of libtcplan-mpi, and new ones of the second tier."""
import pathlib
import re
import unittest

from tcplan import _distributed, _library

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARATION = re.compile(r"TCPLAN_API\s[^;(]*?\b(tcplan_\w+)\(([^;]*)\)\s*;")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CALLED = re.compile(r"(?<!enum )(?<!struct )\btcplan_\w+")


# The package calls new functions of the second tier that begin as follows.
NEW = ("tcplan_block_", "tcplan_provider_open_tapp")


def tier(folder):
    """Returns the number of arguments of each function in a folder's headers."""
    functions = {}
    for header in folder.glob("*.h"):
        for name, arguments in DECLARATION.findall(COMMENT.sub("", header.read_text())):
            empty = arguments.strip() in ("", "void")
            functions[name] = 0 if empty else outer_commas(arguments) + 1
    return functions


def callable_functions():
    """Returns the functions of the first tier and the new ones of the second."""
    second = tier(ROOT / "include" / "unstable" / "tcplan")
    new = {name: count for name, count in second.items() if name.startswith(NEW)}
    return {**tier(ROOT / "include" / "tcplan"), **tier(ROOT / "bindings" / "mpi" / "include" / "tcplan"), **new}


def outer_commas(arguments):
    """Returns the number of commas outside of parentheses; the parameters of function pointers are inside."""
    while "(" in arguments:
        arguments = re.sub(r"\([^()]*\)", "", arguments)
    return arguments.count(",")


FUNCTIONS = {**_library._FUNCTIONS, **_distributed._FUNCTIONS}


class Declarations(unittest.TestCase):
    def test_headers_declare_functions(self):
        self.assertEqual(callable_functions()["tcplan_plan_execute"], 5)

    def test_each_declared_function_may_be_called(self):
        functions = callable_functions()
        for name, (_, *arguments) in FUNCTIONS.items():
            with self.subTest(name):
                self.assertIn(name, functions)
                self.assertEqual(len(arguments), functions[name])

    def test_each_function_that_is_called_is_declared(self):
        # A name that ends with _ is the constant beginning of a computed one: f"tcplan_planner_set_{name}".
        declared = set(FUNCTIONS)
        for file in pathlib.Path(_library.__file__).parent.glob("*.py"):
            for name in CALLED.findall(file.read_text()):
                begun = [function for function in declared if function.startswith(name)]
                with self.subTest(name, file=file.name):
                    self.assertTrue(begun if name.endswith("_") else name in declared)


if __name__ == "__main__":
    unittest.main()
