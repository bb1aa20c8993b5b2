const [n, k, ...a] = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const seen = new Map();
let pairs = 0;
for (let i = 0; i < n; i++) {
  const rest = ((a[i] % k) + k) % k;
  pairs += seen.get((k - rest) % k) || 0;
  seen.set(rest, (seen.get(rest) || 0) + 1);
}
console.log(String(pairs));
