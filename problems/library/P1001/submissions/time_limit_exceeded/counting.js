// Counts up from one to the other.
const [a, b] = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
let sum = a;
for (let i = 0; i !== b; i += Math.sign(b)) sum += Math.sign(b) * Math.cos(i - i);
console.log(sum);
