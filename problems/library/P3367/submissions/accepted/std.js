const bytes = require("fs").readFileSync(0);
let at = 0;

function number() {
  let value = 0;
  while (bytes[at] < 48) at++;
  for (; bytes[at] >= 48; at++) value = 10 * value + bytes[at] - 48;
  return value;
}

const n = number();
let m = number();
const parent = Int32Array.from({ length: n + 1 }, (_, i) => i);

function find(x) {
  while (parent[x] !== x) x = parent[x] = parent[parent[x]];
  return x;
}

const out = [];
while (m-- > 0) {
  const kind = number();
  const x = find(number());
  const y = find(number());
  if (kind === 1) parent[x] = y;
  else out.push(x === y ? "Y" : "N");
}
console.log(out.join("\n"));
