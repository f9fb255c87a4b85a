/*
 * Times a contraction with the Cyclops Tensor Framework (CTF), for compare.py --ctf. Rank 0 prints the median time of an execution in
 * seconds, where the slowest rank counts. CTF chooses the layouts of the tensors.
 *
 * usage: mpirun -n RANKS ctf RESULT LEFT RIGHT SECONDS INDEX=EXTENT...    ctf ab ai ib 3 a=100 b=100 i=100
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctf.hpp>
#include <map>
#include <string>
#include <vector>

static CTF::Tensor<double> tensor(const std::string &indices, std::map<char, int> &extent, CTF::World &world) {
    std::vector<int> lengths, symmetries(indices.size(), NS);
    for (const char index : indices) lengths.push_back(extent[index]);
    CTF::Tensor<double> made((int)indices.size(), lengths.data(), symmetries.data(), world);
    made.fill_random(-1, 1);
    return made;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: %s RESULT LEFT RIGHT SECONDS INDEX=EXTENT...\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    {
        CTF::World world(argc, argv);
        std::map<char, int> extent;
        std::vector<double> times;
        for (int a = 5; a < argc; a++) extent[argv[a][0]] = atoi(argv[a] + 2);
        CTF::Tensor<double> C = tensor(argv[1], extent, world), A = tensor(argv[2], extent, world),
                            B = tensor(argv[3], extent, world);
        const double limit = atof(argv[4]), start = MPI_Wtime();
        for (int round = -1, goes_on = 1; goes_on; round++) { /* the first round warms up */
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            C[argv[1]] = A[argv[2]] * B[argv[3]];
            double seconds = MPI_Wtime() - begin;
            MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (round >= 0) times.push_back(seconds);
            goes_on = round < 2 || (round < 50 && MPI_Wtime() - start < limit);
            MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        std::sort(times.begin(), times.end());
        if (world.rank == 0) printf("%.6g\n", times[times.size() / 2]);
    }
    MPI_Finalize();
    return 0;
}
