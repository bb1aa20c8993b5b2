const [a, b] = require("fs").readFileSync("/dev/stdin", "utf8").trim().split(/\s+/).map(Number);
console.log(a + b);
