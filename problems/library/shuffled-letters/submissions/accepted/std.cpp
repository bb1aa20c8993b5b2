// Each letter: the place in the high four bits, four bits of the number in the low ones.
#include <cstdio>
#include <cstring>

int main(int, char **argv) {
    const bool sends = std::strcmp(argv[1], "0") == 0;
    int t;
    if (std::scanf("%d", &t) != 1)
        return 1;
    while (t--) {
        if (sends) {
            long long x;
            if (std::scanf("%lld", &x) != 1)
                return 1;
            std::printf("15");
            for (int i = 0; i < 15; i++)
                std::printf(" %d", i << 4 | (int)(x >> 4 * i & 15));
            std::printf("\n");
        } else {
            int k, letter;
            long long x = 0;
            if (std::scanf("%d", &k) != 1)
                return 1;
            while (k-- && std::scanf("%d", &letter) == 1)
                x |= (long long)(letter & 15) << 4 * (letter >> 4);
            std::printf("%lld\n", x);
        }
        std::fflush(stdout);
    }
}
