import * as fs from "fs";

const numbers: number[] = fs.readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const seen = new Map<number, boolean>(numbers.map((number): [number, boolean] => [number, true]));
console.log([...seen.keys()].reduce((a, b) => a + b));
