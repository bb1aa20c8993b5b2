// Shows: setlocale, wide characters, facets
#include <clocale>
#include <cwchar>
#include <iostream>
#include <locale>
#include <sstream>

int main()
{
    long long a, b;
    std::setlocale(LC_ALL, "");
    std::setlocale(LC_ALL, "C.UTF-8");
    std::cin >> a >> b;
    wchar_t wide[8];
    bool well = std::mbstowcs(wide, "\xe4\xb8\xad", 8) == 1 && wide[0] == 0x4e2d;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << a + b;
    std::cout << (well ? text.str() : "0") << '\n';
}
