#!/bin/sh
# pip installs the package into a new environment without a network, and the package finds the library.
# usage: install.sh SOURCE_DIR LIBRARY
set -eu
source=$(readlink -f "$1") library=$(readlink -f "$2")
# shellcheck source=tests/support/find_python.sh
. "$source/tests/support/find_python.sh"
find_python numpy
for module in venv ensurepip setuptools wheel; do
    "$python" -c "import $module" 2>/dev/null || { echo "SKIPPED: $python has no $module (Debian: python3-venv, python3-setuptools, python3-wheel)"; exit 77; }
done
if ldd "$library" | grep -q 'lib[at]san'; then
    echo 'SKIPPED: the library needs the run time of sanitizers'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH TCPLAN_LIBRARY TCPLAN_EFFORT TCPLAN_PLANS LD_LIBRARY_PATH 2>/dev/null || true

fail() {
    echo "$1" >&2
    shift
    for file; do cat "$file" >&2; done
    exit 1
}

# A copy, because building writes files next to the sources.
cp -RL "$source/bindings/python" "$work/source"
"$python" -m venv --system-site-packages "$work/venv" >"$work/log" 2>&1 || fail 'no environment could be made' "$work/log"
cd "$work"
venv/bin/python -m pip install --no-index --no-build-isolation --disable-pip-version-check ./source >log 2>&1 || fail 'pip failed' log

cat >try.py <<'PYTHON'
import importlib.metadata, pathlib, sys
import numpy, tcplan
assert pathlib.Path(tcplan.__file__).is_relative_to(pathlib.Path(sys.prefix).resolve()), tcplan.__file__
about = importlib.metadata.metadata("tcplan")
assert about["Version"] == tcplan.__version__ == sys.argv[1], (about["Version"], tcplan.__version__, sys.argv[1])
assert about["License"] == "BSD-3-Clause" and "numpy" in (about.get_all("Requires-Dist") or [])
assert any(file.name == "LICENSE" for file in importlib.metadata.files("tcplan"))
assert "einsum" in about.get_payload()
assert tcplan.einsum("ij,jk->ik", numpy.ones((2, 3)), numpy.ones((3, 4)))[1, 3] == 3
PYTHON
version=$(sed -n 's/^project(tcplan VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
TCPLAN_LIBRARY=$library venv/bin/python try.py "$version" || fail 'it does not run with TCPLAN_LIBRARY'

# Without the variable it says which one to set.
if venv/bin/python try.py "$version" 2>said; then :; else
    grep -q 'set TCPLAN_LIBRARY to its path' said || fail "it does not say TCPLAN_LIBRARY: $(tail -1 said)"
fi

# The library is next to the package, or in the lib folder of the prefix.
package=$(echo venv/lib/python3*/site-packages/tcplan)
for place in "$package" venv/lib; do
    ln -s "$library" "$place/libtcplan.so.0.2"
    venv/bin/python try.py "$version" || fail "it does not find the library in $place"
    rm "$place/libtcplan.so.0.2"
done

# The library is found by the system's loader.
mkdir loaded
ln -s "$library" loaded/libtcplan.so.0.2
LD_LIBRARY_PATH=$work/loaded venv/bin/python try.py "$version" || fail 'it does not find the library where the system does'
