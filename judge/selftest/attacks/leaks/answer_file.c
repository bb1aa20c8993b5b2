// Tries: reads files whose path it knows: an answer, and another file of the judge
// Control: yes
#include "attack.h"

int main(void)
{
    static const char *const keys[] = {"answer", "file"};
    for (int i = 0; i < 2; i++) {
        char text[256] = "";
        FILE *file = fopen(canary(keys[i]), "r");
        if (file == NULL || fgets(text, sizeof text, file) == NULL)
            refused(keys[i]);
        else
            escaped("%s: %s", keys[i], text);
    }
    return 0;
}
