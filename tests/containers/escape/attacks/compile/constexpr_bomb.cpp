// Tries: an endless computation at compile time, with the compiler's own bounds lifted piece by piece
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: time memory

constexpr unsigned long collatz(unsigned long n, unsigned long from)
{
    unsigned long steps = from;
    for (unsigned long i = 0; i < 200000; i++)
        steps += (n ^= n << 13, n ^= n >> 7, n ^= n << 17);
    return steps;
}
template <unsigned long N> struct Chain {
    static constexpr unsigned long value = collatz(N + 1, Chain<N - 1>::value);
};
template <> struct Chain<0> {
    static constexpr unsigned long value = 1;
};
static_assert(Chain<800>::value != 1);
int main() {}
