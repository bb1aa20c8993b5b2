// Tries: flood the diagnostics
// Control: yes
// Limits: cpu=1s wall=8s memory=256M output=1M
// Expect: output time

#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(x))
#define W _Pragma("GCC warning \"a long, long, long, long, long, long, long, long, long warning of no worth at all\"")
int main(void) { return 0; }
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
B(A(W))
