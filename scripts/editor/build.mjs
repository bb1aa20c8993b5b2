// Bundles editor.js into the page's static files, with the names, versions and licences of all that is in it.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const STATIC = new URL("../../judge/server/page/static/", import.meta.url);
const made = await build({
  entryPoints: ["editor.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  charset: "utf8",
  metafile: true,
  write: false,
});
const parts = new Set();
for (const path of Object.keys(made.metafile.inputs)) {
  const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) parts.add(found[1]);
}
const licences = [...parts].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${version} (${license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync(new URL("editor.js", STATIC), "// Made by scripts/editor/build.mjs; licences: editor-licences.txt\n" + made.outputFiles[0].text);
writeFileSync(new URL("editor-licences.txt", STATIC), licences.join(`\n${"-".repeat(72)}\n\n`));
