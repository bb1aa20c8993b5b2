// Multiplies k times.
#include <cstdio>

const long long MOD = 1000000007;
int n;

struct Matrix {
    long long at[100][100];
};

Matrix operator*(const Matrix &a, const Matrix &b) {
    Matrix c{};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) c.at[i][j] = (c.at[i][j] + a.at[i][k] * b.at[k][j]) % MOD;
        }
    }
    return c;
}

int main() {
    long long k;
    scanf("%d %lld", &n, &k);
    static Matrix a, result;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            scanf("%lld", &a.at[i][j]);
            a.at[i][j] = (a.at[i][j] + MOD) % MOD;
        }
        result.at[i][i] = 1;
    }
    while (k--) result = result * a;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) printf("%lld%c", result.at[i][j], j == n - 1 ? '\n' : ' ');
    }
}
