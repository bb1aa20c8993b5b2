// Shows: random_device, getrandom, getentropy, /dev/urandom, /dev/random, rand
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sys/random.h>
#include <unistd.h>

int main()
{
    long long a, b;
    std::cin >> a >> b;
    unsigned char bytes[16];
    std::random_device device;
    std::mt19937_64 engine(device());
    bool well = getrandom(bytes, sizeof bytes, 0) == sizeof bytes && getentropy(bytes, sizeof bytes) == 0;
    for (const char *path : {"/dev/urandom", "/dev/random"})
        well = well && std::ifstream(path, std::ios::binary).get() != EOF;
    std::srand(engine() & 1);
    std::cout << (well && std::rand() >= 0 ? a + b : 0) << '\n';
}
