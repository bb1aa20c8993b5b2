// Shows: regular expressions, wide integers, bitset, pmr, any, variant, charconv, iostream formats
#include <bits/stdc++.h>
#include <memory_resource>

int main()
{
    std::string line;
    std::getline(std::cin, line);
    std::smatch found;
    std::regex_match(line, found, std::regex(R"((-?\d+) (-?\d+)\s*)"));
    __int128 sum = 0;
    for (int i : {1, 2}) {
        std::string text = found[i];
        long long value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        sum += value;
    }
    std::pmr::monotonic_buffer_resource pool;
    std::pmr::vector<std::variant<int, long long>> values(&pool);
    values.emplace_back(static_cast<long long>(sum));
    std::any held = std::get<long long>(values[0]);
    std::bitset<1000> bits;
    std::cout << std::setfill('0') << std::any_cast<long long>(held) + static_cast<long long>(bits.count()) << std::endl;
}
