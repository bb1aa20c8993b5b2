// Multiplies matrices that have no operator *.
#include <bits/stdc++.h>
using namespace std;

struct Matrix {
    long long at[100][100];
};

int main() {
    int n;
    long long k;
    cin >> n >> k;
    static Matrix a, result;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) cin >> a.at[i][j];
        result.at[i][i] = 1;
    }
    for (; k > 0; k /= 2) {
        if (k % 2 == 1) result = result * a;
        a = a * a;
    }
    cout << result.at[0][0] << endl;
}
