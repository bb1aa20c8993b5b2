// Recursive squaring on vectors; the element is reduced once, after a sum of at most 100 products in 128 bits.
#include <cstdio>
#include <iostream>
#include <vector>

typedef std::vector<std::vector<long long>> Matrix;
const int MOD = 1e9 + 7;

Matrix multiply(const Matrix &a, const Matrix &b) {
    int n = a.size();
    Matrix c(n, std::vector<long long>(n));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            __int128 sum = 0;
            for (int k = 0; k < n; k++) sum += (__int128)a[i][k] * b[k][j];
            c[i][j] = (long long)((sum % MOD + MOD) % MOD);
        }
    }
    return c;
}

Matrix power(const Matrix &a, long long k) {
    if (k == 0) {
        Matrix one(a.size(), std::vector<long long>(a.size()));
        for (size_t i = 0; i < a.size(); i++) one[i][i] = 1;
        return one;
    }
    Matrix half = power(a, k / 2);
    half = multiply(half, half);
    return k % 2 ? multiply(half, a) : half;
}

int main() {
    std::freopen("matrix.in", "r", stdin), std::freopen("matrix.out", "w", stdout);
    int n;
    long long k;
    std::cin >> n >> k;
    Matrix a(n, std::vector<long long>(n));
    for (auto &row : a) {
        for (auto &x : row) std::cin >> x;
    }
    for (auto &row : power(a, k)) {
        for (auto x : row) std::cout << x << ' ';
        std::cout << '\n';
    }
}
