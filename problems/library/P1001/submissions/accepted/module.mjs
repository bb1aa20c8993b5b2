import { readFileSync } from "node:fs";
const [a, b] = readFileSync("/dev/stdin", "utf8").trim().split(/\s+/).map(Number);
console.log(a + b);
