// Lets a validator of one convention be called by the other one. `judge problems export` wrote this part; the package's
// own program is below. It needs glibc, for on_exit.
//
//     testlib   checker input output answer              exit 0 accepted, 1 wrong, 7 points; the message on stderr
//               interactor input report answer           the same
//               validator < input                        exit 0 accepted
//     ICPC      checker input answer directory < output  exit 42 accepted, 43 wrong; files in the directory
//               interactor input answer directory        the same
//               validator < input                        exit 42 accepted
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace adapter {

// The settings. TO_TESTLIB: the program below is of ICPC's convention, and is called by testlib's.
static const bool TO_TESTLIB = true;
enum Kind { CHECKER, INTERACTOR, VALIDATOR };
static const Kind KIND = CHECKER;
static const std::vector<std::string> ARGUMENTS = {};

static const int ACCEPTED_EXIT_CODE = 42, REFUSED_EXIT_CODE = 43;
static std::string directory;

static std::string content(const std::string &path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// The end of a program of ICPC's convention, told as testlib tells it.
static int told_by_testlib(int code) {
    const std::string message = content(directory + "judgemessage.txt"), share = content(directory + "score_multiplier.txt");
    for (const char *name : {"judgemessage.txt", "score_multiplier.txt", "score.txt"}) unlink((directory + name).c_str());
    if (KIND != VALIDATOR) rmdir(directory.c_str());
    if (KIND == VALIDATOR) return code == ACCEPTED_EXIT_CODE ? 0 : 3;
    if (code == ACCEPTED_EXIT_CODE && !share.empty() && std::atof(share.c_str()) < 1) {
        std::cerr << "points " << std::atof(share.c_str()) << ' ' << message << std::endl;
        return 7;
    }
    if (code == ACCEPTED_EXIT_CODE || code == REFUSED_EXIT_CODE) {
        std::cerr << (code == ACCEPTED_EXIT_CODE ? "ok " : "wrong answer ") << message << std::endl;
        return code == ACCEPTED_EXIT_CODE ? 0 : 1;
    }
    std::cerr << "FAIL the program ended with exit code " << code << std::endl;
    return 3;
}

// The end of a program of testlib's convention, told as the ICPC format asks.
static int told_by_icpc(int code) {
    if (KIND == VALIDATOR) return code == 0 ? ACCEPTED_EXIT_CODE : REFUSED_EXIT_CODE;
    if (code == 7) {
        std::istringstream said(content(directory + "stderr.txt"));
        std::string word;
        double share = 0;
        said >> word >> share;
        std::ofstream(directory + "score_multiplier.txt") << share;
    }
    const bool refused = code == 1 || code == 2 || code == 4 || code == 8;
    return code == 0 || code == 7 ? ACCEPTED_EXIT_CODE : refused ? REFUSED_EXIT_CODE : code;
}

static void ended(int code, void *) {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    _exit(TO_TESTLIB ? told_by_testlib(code) : told_by_icpc(code));
}

inline int call(int (*program)(), int, char **) { return program(); }
inline int call(int (*program)(int, char **), int argc, char **argv) { return program(argc, argv); }
inline int call(int (*program)(int, const char **), int argc, char **argv) {
    return program(argc, const_cast<const char **>(argv));
}

// The arguments of a checker or an interactor, in the other order.
static std::vector<std::string> arguments(char **argv) {
    if (TO_TESTLIB) {
        char name[] = "feedbackXXXXXX", elsewhere[] = "/tmp/feedbackXXXXXX";
        const char *made = mkdtemp(name) ? name : mkdtemp(elsewhere) ? elsewhere : nullptr;
        if (!made || (KIND == CHECKER && !std::freopen(argv[2], "rb", stdin))) _exit(3);
        directory = std::string(made) + "/";
        return {argv[0], argv[1], argv[3], directory};
    }
    directory = argv[3];
    std::string output = directory + "output.txt";
    if (KIND == CHECKER) std::ofstream(output, std::ios::binary) << std::cin.rdbuf();
    if (!std::freopen((directory + "stderr.txt").c_str(), "w", stderr)) _exit(3);
    return {argv[0], argv[1], output, argv[2]};
}

template <class Program>
static int run(Program program, int argc, char **argv) {
    std::vector<std::string> given(argv, argv + argc);
    if (KIND != VALIDATOR) {
        if (argc < 4) return 3;
        given = arguments(argv);
        given.insert(given.end(), argv + 4, argv + argc);
    }
    given.insert(given.end(), ARGUMENTS.begin(), ARGUMENTS.end());
    std::vector<char *> words;
    for (std::string &word : given) words.push_back(&word[0]);
    words.push_back(nullptr);
    on_exit(ended, nullptr);
    exit(call(program, static_cast<int>(given.size()), words.data()));
}

}  // namespace adapter

#define main package_main
