const [what, text] = require("fs").readFileSync(0, "utf8").trim().split(" ");
let n = Number(text);
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
if (what === "memory") {
  const parts = [];
  for (let i = 0; i < n; i++) parts.push(new Array(131072).fill(i + 0.5));
  n = parts.length;
} else if (what === "depth") n = depth(n);
else throw new Error("fail");
console.log("done", n);
