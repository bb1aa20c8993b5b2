/* The C library writes to a pipe only when its buffer is full: the interactor sees no guess. */
#include <stdio.h>

int main(void) {
    int n;
    scanf("%d", &n);
    int low = 1, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        char answer;
        printf("? %d\n", middle);
        scanf(" %c", &answer);
        if (answer == '=')
            low = high = middle;
        else if (answer == '<')
            high = middle - 1;
        else
            low = middle + 1;
    }
    printf("! %d\n", low);
}
