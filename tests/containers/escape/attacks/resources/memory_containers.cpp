// Tries: memory by the containers of C++, which catch what is refused and go on with smaller ones
// Control: yes
// Limits: memory=32M
// Expect: memory exited signalled
// Bound: 56 MiB

#include <attack.h>
#include <list>
#include <new>
#include <string>
#include <vector>

int main()
{
    std::list<std::vector<char>> kept;
    std::list<std::string> texts;
    long bytes = 0;
    for (std::size_t size = 8 << 20; size > 4096;)
        try {
            kept.emplace_back(size, 'x');
            texts.emplace_back(size / 8, 'y');
            bytes += static_cast<long>(size + size / 8);
            got(bytes >> 20, "MiB");
        } catch (const std::bad_alloc &) {
            size /= 2;
        }
    refused("new");
}
