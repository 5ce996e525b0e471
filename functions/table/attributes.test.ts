import { expect, test } from "@jest/globals";
import { ttlAfter } from "./attributes.ts";

test("an item that is kept for days goes whole seconds after them, by DynamoDB's clock", () => {
  expect(ttlAfter(new Date("2026-01-01T00:00:00.900Z"), 2)).toBe(Date.parse("2026-01-03T00:00:00.000Z") / 1_000);
});
