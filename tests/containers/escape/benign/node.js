// Shows: Node: promises, BigInt, fs.readFileSync(0), timers, garbage
// Except: vetted, where threads open no files, and its runtime opens some from several
const fs = require("fs");

async function main() {
  const [a, b] = fs.readFileSync(0, "utf8").trim().split(/\s+/).map(BigInt);
  await new Promise((resolve) => setTimeout(resolve, 1));
  const table = Array.from({ length: 100000 }, (_, i) => ({ i }));
  console.log(String(a + b + BigInt(table[0].i)));
}

main();
