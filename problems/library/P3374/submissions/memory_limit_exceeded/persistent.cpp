// Persistent segment tree: keeps all versions of the tree, where one would do.
#include <cstdio>
#include <vector>
using namespace std;

struct Node {
    Node *left, *right;
    long long sum, l, r;
};

vector<Node> pool;  // of all nodes that there may be: a version more has one on each level
int n, m, value, used;

Node *make(Node node) {
    pool[used] = node;
    return &pool[used++];
}

Node *build(int l, int r) {
    if (l == r) {
        scanf("%d", &value);
        return make({nullptr, nullptr, value, l, r});
    }
    int mid = (l + r) / 2;
    Node *left = build(l, mid);
    Node *right = build(mid + 1, r);
    return make({left, right, left->sum + right->sum, l, r});
}

Node *add(Node *node, int x, int k) {
    Node *copy = make(*node);
    copy->sum += k;
    if (node->l < node->r) {
        if (x <= (node->l + node->r) / 2) copy->left = add(node->left, x, k);
        else copy->right = add(node->right, x, k);
    }
    return copy;
}

long long query(Node *node, int x, int y) {
    if (y < node->l || node->r < x) return 0;
    if (x <= node->l && node->r <= y) return node->sum;
    return query(node->left, x, y) + query(node->right, x, y);
}

int main() {
    scanf("%d %d", &n, &m);
    pool.resize(2 * n + 21 * m);
    vector<Node *> versions{build(1, n)};
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) versions.push_back(add(versions.back(), x, y));
        else printf("%lld\n", query(versions.back(), x, y));
    }
}
