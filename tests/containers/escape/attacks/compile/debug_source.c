// Tries: have a diagnostic quote lines of a file that #line names
// Control: no, whether diagnostics quote lines depends on the compiler's version

#line 1 "@file@"
int main(void) { return undeclared; }
