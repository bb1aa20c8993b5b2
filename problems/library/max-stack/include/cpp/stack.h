void push(int x);
int pop();
int largest();
