long long inversions(int n, const int *a);
