import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { worstBillTable } from "./worst-bill.ts";

test("decision 36 has the worst bill as it is with these limits and prices", () => {
  const decision = readFileSync(new URL("../docs/decisions/0036-quota.md", import.meta.url), "utf8");
  expect(decision).toContain(worstBillTable());
});
