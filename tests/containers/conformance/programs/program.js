// What the tests ask of every language: MODE N, and for `sort` N numbers.
"use strict";
const { readFileSync, writeFileSync } = require("fs");
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

const deep = (n) => (n === 0 ? 0 : 1 + deep(n - 1));

function main() {
  const words = readFileSync(0, "utf8").split(/\s+/);
  const mode = words[0];
  const n = Number(words[1]);
  switch (mode) {
    case "sort":
      console.log(Float64Array.from(words.slice(2, 2 + n), Number).sort().join("\n"));
      break;
    case "deep":
      console.log(deep(n));
      break;
    case "large": {
      const rows = [];
      for (let i = 0; i < n / 1e6; i++) rows.push(new Array(125000).fill(1.5));
      console.log(Math.floor(rows[n / 2e6][62500]));
      break;
    }
    case "garbage": {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += new Array(1024).fill(i).length;
      console.log(sum);
      break;
    }
    case "hoard": {
      const all = [];
      for (;;) all.push(new Array(1 << 16).fill(1.5));
    }
    case "refused":
      console.log(new Float64Array(n * 2 ** 30).length);
      break;
    case "threads": {
      let sum = 0;
      for (let i = 1; i <= n; i++)
        new Worker(__filename, { workerData: i }).on("message", (value) => (sum += value));
      process.on("exit", () => console.log(sum));
      break;
    }
    case "file":
      writeFileSync("file", String(n));
      console.log(readFileSync("file", "utf8"));
      break;
    case "spin":
      for (let i = 1; i !== 0; i = (i + 1) % 1000003 || 1);
      break;
    case "throw":
      throw new Error("thrown");
    case "exit":
      process.exit(n);
  }
}

if (isMainThread) main();
else parentPort.postMessage(workerData);
