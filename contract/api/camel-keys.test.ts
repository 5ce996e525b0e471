import { expect, test } from "@jest/globals";
import { camelKeys } from "./camel-keys.ts";

test("every field of a body has its name in code, and its value", () => {
  expect(camelKeys({ name: "Ada", display_name: null, a_b_c: undefined })).toEqual({
    name: "Ada",
    displayName: null,
    aBC: undefined,
  });
});
