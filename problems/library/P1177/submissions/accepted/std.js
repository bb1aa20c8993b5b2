const [, ...numbers] = require("fs").readFileSync(0, "utf8").trim().split(/\s+/);
console.log(Uint32Array.from(numbers).sort().join(" "));
