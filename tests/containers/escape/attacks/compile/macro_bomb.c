// Tries: a macro that grows to 16^9 tokens
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: time memory

#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(x))
#define C(x) B(B(x))
#define D(x) C(C(x))
int f(void) { return D(A(1 +)) 0; }
int main(void) { return f(); }
