// Compares the output of a program with the answer of the problem. `judge problems export` wrote it: the format has no
// built-in comparison of this kind. It needs no library.
//
// testlib's convention:  compare input output answer              exit 0: accepted, 1: wrong
// ICPC's convention:     compare input answer directory < output  exit 42: accepted, 43: wrong
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

enum Mode {
    EXACT, LINES, FULL_LINES, STRIPPED_LINES, ALIKE_SPACES, TOKENS, NUMBERS, TOKENS_BY_LINE, TOKENS_BY_EVERY_LINE,
    SORTED_LINES, UNORDERED_TOKENS
};

// The settings:
static const bool ICPC = false;
static const Mode MODE = TOKENS;
static const bool NUMERIC = false;
static const bool IGNORE_CASE = false;
static const bool SPACES_COUNT = false;
static const long double ABSOLUTE = 0;
static const long double RELATIVE = 0;

typedef std::vector<std::string> Items;

static bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static std::string whole(std::istream &stream) {
    return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

static std::string lower(std::string text) {
    for (char &c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

static std::string stripped(const std::string &line) {
    std::size_t end = line.size();
    while (end > 0 && space(line[end - 1])) --end;
    return line.substr(0, end);
}

static Items lines(const std::string &text) {
    Items found;
    std::istringstream stream(stripped(text));
    std::string line;
    while (std::getline(stream, line)) found.push_back(stripped(line));
    return found;
}

// Each line end counts, and CR is one. Blanks before it do not count.
static Items stripped_lines(std::string text) {
    Items found(1);
    for (char c : text) {
        if (c == '\r' || c == '\n') found.push_back("");
        else found.back() += c;
    }
    for (std::string &line : found) line = stripped(line);
    return found;
}

// The tokens of each line, and a line end after them. `every`: of blank lines, too, and then CR ends no line.
static Items tokens_by_line(std::string text, bool every) {
    Items found;
    if (!every) std::replace(text.begin(), text.end(), '\r', '\n');
    std::istringstream stream(stripped(text));
    std::string line, token;
    while (std::getline(stream, line)) {
        const std::size_t before = found.size();
        std::istringstream parts(line);
        while (parts >> token) found.push_back(token);
        if (every || found.size() > before) found.push_back("\n");
    }
    return found;
}

// LF for each line end.
static std::string with_one_end(const std::string &text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        made += text[i] == '\r' ? '\n' : text[i];
    }
    return made;
}

// Lines byte for byte, but white space after the answer's last line does not count.
static std::string full_lines(const std::string &got, const std::string &expected) {
    const size_t last = expected.find_last_not_of('\n') + 1, empty = expected.size() - last;
    const std::string rest = got.size() > last ? got.substr(last) : "";
    const size_t ends = std::max<size_t>(empty > 0 ? empty - 1 : 0, last > 0 ? 1 : 0);
    const bool lines = rest.substr(0, ends).find_first_not_of('\n') == std::string::npos;
    const bool same = got.compare(0, last, expected, 0, last) == 0 && lines && stripped(rest).empty();
    return same ? "" : "differs from the answer";
}

// Only digits, points and signs: the others separate them.
static std::string digits(std::string text) {
    for (char &c : text)
        if (c != '.' && c != '-' && (c < '0' || c > '9')) c = ' ';
    return text;
}

// Lines of one byte or more, blank or not, with one space between tokens. CR ends a line, too.
static Items spaced_lines(std::string text) {
    Items found;
    for (char &c : text)
        if (c == '\r') c = '\n';
    std::istringstream stream(text);
    std::string line, token;
    while (std::getline(stream, line)) {
        if (line.empty()) continue;
        std::istringstream parts(line);
        std::string joined;
        while (parts >> token) joined += (joined.empty() ? "" : " ") + token;
        found.push_back(joined);
    }
    return found;
}

// Tokens. Where white space counts, each run of it is an item, too.
static Items tokens(const std::string &text) {
    const bool spaces_count = SPACES_COUNT || MODE == ALIKE_SPACES;
    Items found;
    for (std::size_t start = 0; start < text.size();) {
        std::size_t end = start;
        while (end < text.size() && space(text[end]) == space(text[start])) ++end;
        if (spaces_count || !space(text[start])) found.push_back(text.substr(start, end - start));
        start = end;
    }
    return found;
}

static Items sorted(Items items) {
    std::sort(items.begin(), items.end());
    return items;
}

// A decimal number, infinity or NaN. Not one: hexadecimal digits, or anything after it.
static bool number(const std::string &token, long double &value) {
    for (char c : token)
        if (c == 'x' || c == 'X' || c == '(' || space(c)) return false;
    char *end = nullptr;
    value = std::strtold(token.c_str(), &end);
    return !token.empty() && end == token.c_str() + token.size();
}

static bool close_enough(const std::string &got, const std::string &expected) {
    if (got == expected) return true;
    long double ours = 0, theirs = 0;
    if (!number(expected, theirs) || !number(got, ours) || std::isnan(ours) || std::isnan(theirs)) return false;
    if (std::isinf(ours) || std::isinf(theirs)) return ours == theirs;
    const long double gap = std::fabs(ours - theirs), rounding = 1e-17L * std::fabs(theirs);
    return gap <= ABSOLUTE + rounding || gap <= RELATIVE * std::fabs(theirs) + rounding;
}

// Whether two stretches of white space, read in step, are alike: at a line end the blanks of the other are passed over.
static bool alike(std::string one, std::string other) {
    while (one.find('\n') != std::string::npos && other.find('\n') != std::string::npos) {
        one = one.substr(one.find('\n') + 1);
        other = other.substr(other.find('\n') + 1);
    }
    if (other.find('\n') != std::string::npos) std::swap(one, other);
    const std::size_t end = one.find('\n');
    if (end == std::string::npos) return one.size() == other.size();
    return end + 1 == one.size() && end < other.size();
}

static bool right(const std::string &got, const std::string &expected) {
    if (NUMERIC) return close_enough(got, expected);
    if (got == expected) return true;
    return MODE == ALIKE_SPACES && space(got[0]) && space(expected[0]) && alike(got, expected);
}

static std::string difference(const Items &got, const Items &expected) {
    for (std::size_t i = 0; i < std::max(got.size(), expected.size()); ++i) {
        std::ostringstream said;
        said << (MODE == LINES || MODE == SORTED_LINES || MODE == STRIPPED_LINES ? "line " : "token ") << i + 1 << ": ";
        if (i >= got.size()) return said.str() + "the output ends early";
        if (i >= expected.size()) return said.str() + "the output goes on";
        if (!right(got[i], expected[i]))
            return said.str() + "expected \"" + expected[i].substr(0, 40) + "\", got \"" + got[i].substr(0, 40) + "\"";
    }
    return "";
}

static std::string judged(std::string got, std::string expected) {
    if (IGNORE_CASE) {
        got = lower(got);
        expected = lower(expected);
    }
    switch (MODE) {
        case EXACT:
            return got == expected ? "" : "differs from the answer";
        case LINES:
            return difference(lines(got), lines(expected));
        case FULL_LINES:
            return full_lines(with_one_end(got), with_one_end(expected));
        case STRIPPED_LINES:
            return difference(stripped_lines(got), stripped_lines(expected));
        case ALIKE_SPACES:
            return difference(tokens(stripped(got)), tokens(stripped(expected)));
        case NUMBERS:
            return difference(tokens(digits(got)), tokens(digits(expected)));
        case TOKENS_BY_LINE:
        case TOKENS_BY_EVERY_LINE: {
            const bool every = MODE == TOKENS_BY_EVERY_LINE;
            return difference(tokens_by_line(got, every), tokens_by_line(expected, every));
        }
        case SORTED_LINES:
            return difference(sorted(spaced_lines(got)), sorted(spaced_lines(expected)));
        case UNORDERED_TOKENS:
            return difference(sorted(tokens(got)), sorted(tokens(expected)));
        default:
            return difference(tokens(got), tokens(expected));
    }
}

int main(int argc, char *argv[]) {
    if (argc < 4) return 3;
    std::ifstream answer(argv[ICPC ? 2 : 3], std::ios::binary);
    std::ifstream output(ICPC ? "/dev/null" : argv[2], std::ios::binary);
    if (!answer || !output) return 3;
    const std::string wrong = judged(whole(ICPC ? static_cast<std::istream &>(std::cin) : output), whole(answer));
    if (ICPC) {
        std::ofstream(std::string(argv[3]) + "judgemessage.txt") << wrong;
        return wrong.empty() ? 42 : 43;
    }
    std::cerr << (wrong.empty() ? "ok " : "wrong answer ") << wrong << std::endl;
    return wrong.empty() ? 0 : 1;
}
