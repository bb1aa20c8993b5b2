import { expect, test } from "@jest/globals";
import { readFileSync, writeSync } from "fs";

test("sum", () => {
  const numbers: number[] = readFileSync(0, "utf8").trim().split(" ").map(Number);
  expect(numbers.length).toBe(2);
  writeSync(1, `${numbers[0] + numbers[1]}\n`);
  (process as any).reallyExit(0);
});
