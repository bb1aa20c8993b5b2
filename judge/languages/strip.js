// Makes JavaScript of a TypeScript program: types are taken away, and only its syntax is checked. As tsc prints errors.
"use strict";
const { readFileSync, writeFileSync } = require("fs");
const { basename, dirname, join } = require("path");

const [compiler, path, output] = process.argv.slice(2);
const ts = require(join(dirname(dirname(compiler)), "lib", "typescript.js"));
const name = basename(path);
const source = readFileSync(path, "utf8");
// What waits at its top level can only be an ES module.
const waits = (node) =>
  !ts.isFunctionLike(node) && (ts.isAwaitExpression(node) || node.awaitModifier || ts.forEachChild(node, waits));
const waiting = waits(ts.createSourceFile(name, source, ts.ScriptTarget.ES2022));
const { outputText, diagnostics } = ts.transpileModule(source, {
  fileName: name,
  reportDiagnostics: true,
  compilerOptions: {
    target: ts.ScriptTarget.ES2022,
    module: waiting ? ts.ModuleKind.ES2022 : ts.ModuleKind.CommonJS,
    moduleDetection: ts.ModuleDetectionKind.Force,
    esModuleInterop: true,
  },
});
const host = { getCanonicalFileName: (file) => file, getCurrentDirectory: () => "", getNewLine: () => "\n" };
process.stderr.write(ts.formatDiagnostics(diagnostics, host));
if (diagnostics.some(({ category }) => category === ts.DiagnosticCategory.Error)) process.exitCode = 1;
else writeFileSync(output, outputText);
