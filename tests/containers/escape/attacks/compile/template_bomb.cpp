// Tries: templates that double at every one of 40 levels
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: time memory

template <int N, long K> struct S {
    static constexpr long v = S<N - 1, 2 * K>::v + S<N - 1, 2 * K + 1>::v;
};
template <long K> struct S<0, K> {
    static constexpr long v = 1;
};
static_assert(S<40, 1>::v);
int main() {}
