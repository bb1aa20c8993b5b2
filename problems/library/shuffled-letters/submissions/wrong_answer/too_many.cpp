// Three bits in a letter: twenty letters.
#include <cstdio>
#include <cstdlib>

int main(int, char **argv) {
    int t;
    std::scanf("%d", &t);
    while (t--) {
        if (std::atoi(argv[1]) == 0) {
            long long x;
            std::scanf("%lld", &x);
            std::printf("20");
            for (int i = 0; i < 20; i++)
                std::printf(" %d", i << 3 | (int)(x >> 3 * i & 7));
            std::printf("\n");
        } else {
            int k, letter;
            long long x = 0;
            std::scanf("%d", &k);
            while (k-- && std::scanf("%d", &letter) == 1)
                x |= (long long)(letter & 7) << 3 * (letter >> 3);
            std::printf("%lld\n", x);
        }
        std::fflush(stdout);
    }
}
