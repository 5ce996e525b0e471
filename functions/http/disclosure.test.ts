import { expect, test } from "@jest/globals";
import { reporterOf } from "./disclosure.ts";

const id = { "github-public-key-identifier": "k1" };
const signature = { "github-public-key-signature": "MEUCIQ" };

test("a disclosure without a signature names no reporter", async () => {
  expect(await reporterOf({}, Buffer.from("[]"))).toBeUndefined();
});

test.each([id, signature])("half a signature is invalid, without a look at GitHub's keys: %j", async (headers) => {
  await expect(reporterOf(headers, Buffer.from("[]"))).rejects.toThrow("signature_invalid");
});
