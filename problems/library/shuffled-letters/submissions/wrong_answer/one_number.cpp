// Keeps the number 32 bits wide.
#include <cstdio>
#include <cstdlib>

int main(int, char **argv) {
    int t;
    std::scanf("%d", &t);
    while (t--) {
        if (std::atoi(argv[1]) == 0) {
            long long x;
            std::scanf("%lld", &x);
            std::printf("15");
            for (int i = 0; i < 15; i++)
                std::printf(" %d", i << 4 | (int)(x >> 4 * i & 15));
            std::printf("\n");
        } else {
            int k, letter, x = 0;
            std::scanf("%d", &k);
            while (k-- && std::scanf("%d", &letter) == 1)
                if (letter >> 4 < 8)
                    x |= (letter & 15) << 4 * (letter >> 4);
            std::printf("%u\n", (unsigned)x);
        }
        std::fflush(stdout);
    }
}
