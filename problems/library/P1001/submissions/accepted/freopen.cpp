// Written for a contest with file input and output: right once the redirections are neutralised.
#include <cstdio>
#include <iostream>

int main() {
    freopen("plus.in", "r", stdin);
    freopen("plus.out", "w", stdout);
    long long a, b;
    std::cin >> a >> b;
    std::cout << a + b << std::endl;
    fclose(stdin);
    fclose(stdout);
    return 0;
}
