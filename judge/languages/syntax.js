// Says what Node would say on reading the program, without running it: as its loader does, as the body of a function.
"use strict";
const { readFileSync } = require("fs");
const { basename } = require("path");
const { compileFunction } = require("vm");

const path = process.argv[2];
try {
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  compileFunction(readFileSync(path, "utf8"), names, { filename: basename(path) });
} catch (error) {
  process.stderr.write(`${error.stack.replace(/\n    at [^]*/, "")}\n`);
  process.exitCode = 1;
}
