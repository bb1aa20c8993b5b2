// Says what Node would say on reading the program and its other files, without running it: as its loader does, as the body of a function or
// as a module. The name of this file tells Node what it is, whatever package.json lies beside it.
"use strict";
const { readFileSync } = require("fs");
const { basename, dirname, extname, join } = require("path");
const vm = require("vm");

// What the program's suffix or the package.json beside it says; undefined: nothing.
function isModule(path) {
  if (extname(path) !== ".js") return extname(path) === ".mjs";
  let stated;
  try {
    stated = JSON.parse(readFileSync(join(dirname(path), "package.json"), "utf8")).type;
  } catch (error) {
    return undefined;
  }
  return stated === undefined ? undefined : stated === "module";
}

// Whether this Node runs a program as a module if it is none otherwise.
function detectsModules() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 7) || (major === 20 && minor >= 19);
}

function readAsModule(source, path) {
  new vm.SourceTextModule(source, { identifier: basename(path) });
}

function readAsBody(source, path) {
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  vm.compileFunction(source, names, { filename: basename(path) });
}

function read(path) {
  const source = readFileSync(path, "utf8");
  const stated = isModule(path);
  if (stated) return readAsModule(source, path);
  try {
    readAsBody(source, path);
  } catch (error) {
    if (stated === false || !detectsModules()) throw error;
    try {
      readAsModule(source, path);
    } catch {
      throw error;
    }
  }
}

try {
  process.argv.slice(2).forEach(read);
} catch (error) {
  process.stderr.write(`${error.stack.replace(/\n    at [^]*/, "")}\n`);
  process.exitCode = 1;
}
