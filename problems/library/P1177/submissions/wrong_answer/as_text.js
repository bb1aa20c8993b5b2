// Sorts as text, as sort() does without a function.
const [, ...numbers] = require("fs").readFileSync(0, "utf8").trim().split(/\s+/);
console.log(numbers.sort().join(" "));
