// "\n" does not flush, and without a flush the judge sees nothing.
#include <cstdio>

int main() {
    int n, q;
    scanf("%d %d", &n, &q);
    int first = 1, last = n;
    while (first < last) {
        int k = (last - first + 2) / 3;
        printf("? %d", k);
        for (int i = 0; i < 2 * k; i++)
            printf(" %d", first + i);
        printf("\n");
        char answer[8];
        scanf("%7s", answer);
        if (answer[0] == 'l') {
            last = first + k - 1;
        } else if (answer[0] == 'r') {
            first += k;
            last = first + k - 1;
        } else {
            first += 2 * k;
        }
    }
    printf("! %d\n", first);
}
