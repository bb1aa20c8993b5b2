// Tries: load a plugin into the compiler, or pass it options, from the source
// Control: no, compilers take no plugins from a source: it is shown that ours does not either
// Expect: ok

#pragma GCC plugin("/tmp/evil.so")
#pragma GCC optimize("plugin=/tmp/evil.so")
#pragma GCC optimize("fplugin=/tmp/evil.so")
#pragma comment(linker, "--plugin /tmp/evil.so")
#pragma judge instantiate
#include <cstdio>
int main() { std::puts("HELD no plugin"); }
