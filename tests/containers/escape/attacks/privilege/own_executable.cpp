// Tries: poisons what other runs share: its own executable and input, through /proc, mappings, seals and reopened memory files
// Control: yes
#include "attack.h"
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <vector>

static void tried(const std::string &what, long result)
{
    result == -1 ? refused(what.c_str()) : escaped("%s", what.c_str());
}

/* Every way to change a file of which there is a path or a descriptor. */
static void poison(const std::string &name, const char *path)
{
    const int reader = open(path, O_RDONLY);
    const int writer = open(path, O_WRONLY);
    const char byte = 'x';
    if (writer >= 0)
        tried("write to " + name, write(writer, &byte, 1));
    else
        refused((name + " opened for writing").c_str());
    tried(name + " opened for both", open(path, O_RDWR) >= 0 && writer >= 0 ? write(writer, &byte, 1) : -1);
    tried("truncate " + name, truncate(path, 0));
    tried("ftruncate " + name, ftruncate(writer, 0));
    tried("punch a hole into " + name, fallocate(writer, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
    tried("grow " + name, fallocate(writer, 0, 0, 1 << 20));
    void *at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer >= 0 ? open(path, O_RDWR) : reader, 0);
    tried("map " + name + " for writing", at == MAP_FAILED ? -1 : 0);
    void *later = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, reader, 0);
    tried("make a mapping of " + name + " writable",
          later == MAP_FAILED ? -1 : mprotect(later, 4096, PROT_READ | PROT_WRITE));
    const int source = open("source", O_RDWR | O_CREAT, 0600);
    if (write(source, "poison", 6) != 6)
        return;
    lseek(source, 0, SEEK_SET);
    tried("sendfile to " + name, sendfile(writer, source, nullptr, 6));
    loff_t from = 0, to = 0;
    tried("copy_file_range to " + name, syscall(SYS_copy_file_range, source, &from, writer, &to, 6, 0));
    tried("seals of " + name + " changed", fcntl(reader, 1033 /* F_ADD_SEALS */, 0));
    tried("mode of " + name, fchmod(reader, 0777));
    tried("unlink " + name, unlink(path));
    tried("rename over " + name, rename("source", path));
}

int main()
{
    poison("its executable", "/proc/self/exe");
    poison("its input", "/proc/self/fd/0");
    poison("a library", "/usr/lib/x86_64-linux-gnu/libc.so.6");
    poison("a program", "/usr/bin/env");
    poison("its own files", "../in");
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::string range = line.substr(0, line.find(' '));
        const int fd = open(("/proc/self/map_files/" + range).c_str(), O_WRONLY);
        if (fd >= 0)
            escaped("map_files/%s", range.c_str());
        break;
    }
    /* Code that has no file: where it could be kept, it could be handed on. */
    const int memory = (int)syscall(SYS_memfd_create, "code", 0);
    tried("a memory file of its own", memory);
}
