// Tries: to end while another thread writes: half a line is left
// Control: no, a plain judge bears it
// Problem: sum
// Verdict: WA
#include <thread>
#include <unistd.h>

int main()
{
    static char line[1 << 16];
    for (char &letter : line)
        letter = '7';
    for (int i = 0; i < 4; i++)
        std::thread([] {
            for (;;)
                if (write(1, line, sizeof line) < 0)
                    break;
        }).detach();
    usleep(2000);
    _exit(0);
}
