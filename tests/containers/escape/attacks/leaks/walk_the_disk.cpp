// Tries: finds answers, other submissions and caches by reading every small file that it can list, from every root
// Control: yes
// Limits: wall=30s
#include "attack.h"
#include <algorithm>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fs = std::filesystem;

static std::string marker;
static long files, directories;

/* A marker with more behind it; alone it stands in our own input. */
static bool holds_secret(const std::string &text, size_t *at)
{
    for (*at = 0; (*at = text.find(marker, *at)) != std::string::npos; ++*at)
        if (std::isxdigit((unsigned char)text[*at + marker.size()]))
            return true;
    return false;
}

static void look_into(const fs::path &path)
{
    std::error_code error;
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > 65536)
        return;
    std::string text(65536, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), (std::streamsize)text.size());
    text.resize((size_t)file.gcount());
    size_t at;
    files += !text.empty();
    if (holds_secret(text, &at))
        escaped("%s holds %.*s", path.c_str(), 64, text.c_str() + at);
}

/* Breadth first, so that one deep tree does not use up the time: the processor's, for others may keep us waiting. */
static void walk(const fs::path &root, std::clock_t budget)
{
    const auto end = std::clock() + budget;
    std::deque<fs::path> open{root};
    while (!open.empty() && std::clock() < end) {
        std::error_code error;
        const fs::path here = open.front();
        open.pop_front();
        directories++;
        for (fs::directory_iterator entry(here, fs::directory_options::skip_permission_denied, error), last;
             !error && entry != last && std::clock() < end; entry.increment(error)) {
            std::error_code ignored;
            if (entry->is_directory(ignored) && !entry->is_symlink(ignored))
                entry->path().filename().string().rfind("judge-", 0) == 0 ? open.push_front(entry->path())
                                                                          : open.push_back(entry->path());
            else
                look_into(entry->path());
        }
    }
}

int main()
{
    marker = canary("secret-marker");
    for (const char *root :
         {"..",   "../..", "../../..", "/tmp",   "/var/tmp", "/dev/shm", "/dev/mqueue", "/run",       "/home", "/root",
          "/srv", "/opt",  "/mnt",     "/media", "/box",     "/var",     "/etc",        "/usr/local", "/proc", "/"})
        walk(root, 15 * CLOCKS_PER_SEC / 1000);
    held("%ld directories and %ld files hold no secret", directories, files);
}
