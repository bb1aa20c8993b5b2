// Tries: a string of four million letters, and a long identifier, in few lines
// Control: no, it is legal; what is shown is that it does no harm
// Limits: cpu=2s wall=10s memory=512M
// Expect: ok error time

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define A4(a) PASTE(PASTE(a, a), PASTE(a, a))
#define A256 A4_(A4__(A4(aaaaaaaaaaaaaaaa)))
#define A4_(a) PASTE(PASTE(a, a), PASTE(a, a))
#define A4__(a) PASTE(PASTE(a, a), PASTE(a, a))
#define S(x) x x x x x x x x x x x x x x x x
#define S2(x) S(S(x))
#define S4(x) S2(S2(x))
int A256;
const char text[] = S4("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
int puts(const char *);
int main(void) { return puts("HELD it compiles") < 0; }
