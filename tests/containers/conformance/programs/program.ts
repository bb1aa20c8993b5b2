// What the tests ask of most languages: MODE N, and for `sort` N numbers.
import * as fs from "fs";

const [first, second]: string[] = fs.readFileSync(0, "utf8").split("\n");
const [mode, word] = first.split(" ");
const n: number = Number(word);

function deep(left: number): number {
    return left === 0 ? 0 : 1 + deep(left - 1);
}

if (mode === "sort") {
    const numbers: bigint[] = second.split(" ").map(BigInt);
    numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    console.log(numbers.join("\n"));
} else if (mode === "deep") {
    console.log(deep(n));
} else if (mode === "hoard") {
    const all: number[][] = [];
    for (;;) all.push(new Array(100_000).fill(all.length + 0.5));
} else if (mode === "spin") {
    for (;;) {}
} else if (mode === "throw") {
    throw new Error("thrown");
} else if (mode === "exit") {
    process.exit(n);
}
