// Shows: std::filesystem in the working directory
#include <filesystem>
#include <fstream>
#include <iostream>

namespace fs = std::filesystem;

int main()
{
    long long a, b, c = 0, files = 0;
    std::cin >> a >> b;
    fs::create_directories("one/two/three");
    std::ofstream("one/two/three/sum") << a + b;
    fs::create_hard_link("one/two/three/sum", "one/copy");
    fs::rename("one/copy", "one/moved");
    for (const auto &entry : fs::recursive_directory_iterator("one"))
        files += entry.is_regular_file();
    std::ifstream("one/moved") >> c;
    bool well = files == 2 && fs::file_size("one/moved") > 0 && fs::current_path().is_absolute();
    well = well && fs::temp_directory_path().is_absolute() && fs::remove_all("one") == 5 && !fs::exists("one");
    std::cout << (well ? c : 0) << '\n';
}
