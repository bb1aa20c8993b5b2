// validate INPUT ANSWER FEEDBACK_DIR < OUTPUT: exit 42 if the output is right, 43 if it is wrong.
//
// The output may be anything at all, so it is taken apart by hand: tokens are separated by ASCII white space only, hold
// at most 20 characters, and a number is a sign and digits that fit in 64 bits. Differences are taken in 128 bits.
// Exit 1 is an error of the judges: the answer says that there is no solution, but the output has one.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

const int ACCEPTED = 42, WRONG = 43, ERROR = 1;
const size_t LONGEST = 20;  // -9223372036854775808

std::string feedback;

[[noreturn]] void finish(int status, const std::string &message) {
    std::ofstream(feedback + "/judgemessage.txt") << message << '\n';
    std::exit(status);
}

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next token of the output, "" at its end.
std::string next_token() {
    int c = std::getchar();
    while (is_space(c)) c = std::getchar();
    std::string token;
    for (; c != EOF && !is_space(c); c = std::getchar()) {
        if (token.size() == LONGEST) finish(WRONG, "a token is longer than any number of 64 bits");
        token += static_cast<char>(c);
    }
    return token;
}

bool parse(const std::string &token, long long &value) {
    size_t at = token[0] == '-';
    if (at == token.size()) return false;
    __int128 number = 0;
    for (; at < token.size(); at++) {
        if (token[at] < '0' || token[at] > '9') return false;
        number = 10 * number + (token[at] - '0');
    }
    if (token[0] == '-') number = -number;
    value = static_cast<long long>(number);
    return value == number;
}

int main(int argc, char **argv) {
    if (argc < 4) return ERROR;
    feedback = argv[3];
    std::ifstream input(argv[1]), answer(argv[2]);
    int n, m;
    std::string expected;
    if (!(input >> n >> m) || !(answer >> expected)) finish(ERROR, "cannot read the input or the answer");

    std::string token = next_token();
    if (token == "NO") {
        if (!next_token().empty()) finish(WRONG, "something follows NO");
        if (expected != "NO") finish(WRONG, "NO, but there is a solution");
        finish(ACCEPTED, "there is no solution");
    }
    std::vector<long long> x;
    for (; !token.empty(); token = next_token()) {
        long long value;
        std::string place = "token " + std::to_string(x.size() + 1);
        if (static_cast<int>(x.size()) == n) finish(WRONG, place + ": there should be " + std::to_string(n) + " only");
        if (!parse(token, value)) finish(WRONG, place + " is not an integer of 64 bits");
        x.push_back(value);
    }
    if (static_cast<int>(x.size()) < n) {
        finish(WRONG, std::to_string(x.size()) + " numbers where there should be " + std::to_string(n));
    }
    for (int i = 1; i <= m; i++) {
        int c, other, y;
        if (!(input >> c >> other >> y)) finish(ERROR, "cannot read the input");
        if (static_cast<__int128>(x.at(c - 1)) - x.at(other - 1) > y) {
            finish(WRONG, "inequality " + std::to_string(i) + " does not hold");
        }
    }
    if (expected == "NO") finish(ERROR, "the answer says NO, but this is a solution");
    finish(ACCEPTED, "all inequalities hold");
}
