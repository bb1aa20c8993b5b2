// check INPUT ANSWER FEEDBACK_DIR < OUTPUT: exit 42 if the order fulfils all wishes, 43 if not.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

static std::string feedback;

[[noreturn]] static void end(int code, const std::string &message) {
    std::ofstream(feedback + "/judgemessage.txt") << message << '\n';
    std::exit(code);
}

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next word, as far as it could be right; "" at the end.
static std::string next_word() {
    int c = std::getchar();
    while (is_space(c))
        c = std::getchar();
    std::string word;
    for (; c != EOF && !is_space(c); c = std::getchar())
        if (word.size() < 11)
            word += (char)c;
    return word;
}

int main(int, char **argv) {
    feedback = argv[3];
    std::ifstream input(argv[1]);
    std::string first, word = next_word();
    std::ifstream(argv[2]) >> first;
    if (word == "IMPOSSIBLE") {
        if (!next_word().empty())
            end(43, "something follows IMPOSSIBLE");
        end(first == word ? 42 : 43, "said IMPOSSIBLE");
    }
    int n, m, u, v;
    input >> n >> m;
    std::vector<int> place(n + 1);
    for (int i = 1; !word.empty(); i++, word = next_word()) {
        if (i > n || word.size() > 6 || word.find_first_not_of("0123456789") != std::string::npos)
            end(43, "word " + std::to_string(i) + " is no course, or one too many");
        const int course = std::atoi(word.c_str());
        if (course < 1 || course > n || place[course])
            end(43, "word " + std::to_string(i) + " is no course, or one that was there");
        place[course] = i;
    }
    for (int i = 1; i <= n; i++)
        if (!place[i])
            end(43, "course " + std::to_string(i) + " is missing");
    while (m-- && input >> u >> v)
        if (place[u] > place[v])
            end(43, "course " + std::to_string(u) + " has to come before " + std::to_string(v));
    if (first == "IMPOSSIBLE")
        end(1, "the answer says IMPOSSIBLE, but this is an order");
    end(42, "");
}
