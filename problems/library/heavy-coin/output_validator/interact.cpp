// Answers so that as many coins as possible still fit. Arguments: input, answer, feedback directory.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static std::string feedback;

[[noreturn]] static void end(int code, const std::string &message) {
    std::ofstream(feedback + "/judgemessage.txt") << message;
    std::exit(code);
}

int main(int, char **argv) {
    feedback = argv[3];
    int n, most;
    std::ifstream(argv[1]) >> n >> most;
    std::vector<bool> fits(n + 1, true);
    int left = n, weighings = 0;
    std::cout << n << " " << most << std::endl;
    for (;;) {
        std::string what;
        if (!(std::cin >> what))
            end(43, "the program wrote nothing more after " + std::to_string(weighings) + " weighings");
        if (what == "!") {
            int coin;
            if (!(std::cin >> coin) || coin < 1 || coin > n)
                end(43, "an answer without a coin");
            if (!fits[coin] || left > 1)
                end(43, "answered " + std::to_string(coin) + ", but " + std::to_string(left) + " coins fit");
            end(42, std::to_string(weighings) + " weighings");
        }
        int k;
        if (what != "?" || !(std::cin >> k) || k < 1 || 2 * k > n)
            end(43, "no weighing and no answer");
        if (++weighings > most)
            end(43, "more than " + std::to_string(most) + " weighings");
        std::vector<int> pan(n + 1);
        int counts[3] = {left, 0, 0};
        for (int i = 0; i < 2 * k; i++) {
            int coin;
            if (!(std::cin >> coin) || coin < 1 || coin > n || pan[coin])
                end(43, "a weighing of coins that are none, or twice the same");
            pan[coin] = i < k ? 1 : 2;
            counts[pan[coin]] += fits[coin];
            counts[0] -= fits[coin];
        }
        // Of answers that leave as many coins it is not always the same one, so that each is tried.
        int answer = (n + weighings) % 3;
        for (int i = 0; i < 3; i++)
            if (counts[i] > counts[answer])
                answer = i;
        for (int coin = 1; coin <= n; coin++)
            fits[coin] = fits[coin] && pan[coin] == answer;
        left = counts[answer];
        std::cout << (answer == 0 ? "same" : answer == 1 ? "left" : "right") << std::endl;
    }
}
