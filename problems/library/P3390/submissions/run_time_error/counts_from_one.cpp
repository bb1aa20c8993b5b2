// Counts from 1 in a matrix of exactly 100 rows: checked access throws for n = 100.
#include <array>
#include <iostream>
using namespace std;

typedef array<array<long long, 100>, 100> Matrix;
const long long MOD = 1000000007;
int n;

Matrix multiply(const Matrix &a, const Matrix &b) {
    Matrix c{};
    for (int i = 1; i <= n; i++) {
        for (int k = 1; k <= n; k++) {
            for (int j = 1; j <= n; j++) c.at(i).at(j) = (c.at(i).at(j) + a.at(i).at(k) * b.at(k).at(j)) % MOD;
        }
    }
    return c;
}

int main() {
    long long k;
    cin >> n >> k;
    static Matrix a{}, result{};
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            cin >> a.at(i).at(j);
            a.at(i).at(j) = (a.at(i).at(j) + MOD) % MOD;
        }
        result.at(i).at(i) = 1;
    }
    for (; k > 0; k /= 2) {
        if (k % 2 == 1) result = multiply(result, a);
        a = multiply(a, a);
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) cout << result.at(i).at(j) << ' ';
        cout << '\n';
    }
}
