import { expect, test } from "@jest/globals";
import type { RouteName } from "../../contract/api/routes.ts";
import { accessOf } from "./stage-option.ts";

test("a route of an option that says nothing of what its function may do is refused by the synthesis", () => {
  const unknown: string = "getHeartbeat";
  expect(() => accessOf(unknown as RouteName)).toThrow(
    "The option of getHeartbeat does not say what its function may do.",
  );
  expect(accessOf("getMe").table).toBeDefined();
});
