// cin and cout without their namespace.
#include <iostream>

int main() {
    long long a, b;
    cin >> a >> b;
    cout << a + b << '\n';
}
