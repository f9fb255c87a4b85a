#!/bin/sh
# Builds the library, its sampling program and the tests of MPI with MPICH, whose wrappers must be installed under these names
# (Debian: mpich, libmpich-dev), and runs them. Another MPI may be the system's default.
# usage: mpich.sh CMAKE GENERATOR SOURCE FOLDER
set -eu
cmake=$1 generator=$2 source=$3 folder=$4
for tool in mpicc.mpich mpirun.mpich; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool (Debian: mpich, libmpich-dev)"; exit 77; }
done
mpicc=$(command -v mpicc.mpich) mpirun=$(command -v mpirun.mpich)
mkdir -p "$folder/tools"
ln -sf "$mpicc" "$folder/tools/mpicc" # for tests that compile emitted programs
ln -sf "$mpirun" "$folder/tools/mpirun"

"$cmake" -G "$generator" -S "$source" -B "$folder/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTCPLAN_MPI=ON -DTCPLAN_SCALAPACK=OFF \
    -DMPI_C_COMPILER="$mpicc" -DMPIEXEC_EXECUTABLE="$mpirun" >"$folder/configured"
"$cmake" --build "$folder/build" --target tcplan_cli tcplan_mpi tcplan_mpi_sample example_mpi_contract test_mpi_random test_mpi_expressions \
    test_mpi_stored test_mpi_faults >"$folder/built" || { tail -n 20 "$folder/built"; exit 1; }
if ! ldd "$folder/build/lib/libtcplan-mpi.so" | grep -q libmpich; then
    echo "libtcplan-mpi is not linked with MPICH"
    exit 1
fi

# mpi4py has been built for the default MPI, and the simulator brings its own.
PATH=$folder/tools:$PATH ctest --test-dir "$folder/build" -L mpi -E 'python|simulated' --output-on-failure >"$folder/tested" || {
    cat "$folder/tested"
    exit 1
}
tail -n 3 "$folder/tested"
grep -q '^100% tests passed' "$folder/tested"
