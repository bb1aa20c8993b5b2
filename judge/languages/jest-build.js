// Makes a file of tests, for Jest, of one in TypeScript or JavaScript: types are taken away, imports become calls.
"use strict";
const { realpathSync, readFileSync, writeFileSync } = require("fs");

const [compiler, path, output] = process.argv.slice(2);
const find = (name) => require.resolve(name, { paths: [realpathSync(compiler), "/usr/local/lib/node_modules"] });
const presets = [[find("@babel/preset-env"), { targets: { node: "current" } }]];
try {
  const { code } = require(find("@babel/core")).transformSync(readFileSync(path, "utf8"), {
    filename: path,
    babelrc: false,
    configFile: false,
    presets: [...presets, find("@babel/preset-typescript"), find("babel-preset-jest")],
  });
  writeFileSync(output, code);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
