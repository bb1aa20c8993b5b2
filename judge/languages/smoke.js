"use strict";
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [a, b] = lines[0].split(" ").map(Number);
Promise.resolve(a + b).then((sum) => console.log(`${sum}`));
