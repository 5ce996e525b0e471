import { expect, test } from "@jest/globals";
import type { PutResponse } from "../../../contract/api/releases/store-response.ts";
import { UploadFailure } from "../../../publisher/upload-failure.ts";
import { unreachable } from "../unreachable.ts";
import { createSender } from "./sender.ts";

/* What a person reads; what the sender does is in test/browser/dashboard/sender.test.ts. */

const options = { patience: { onResponse: () => {} }, bytesOf: async () => new Blob() };
const { explain } = createSender(options, new AbortController().signal);
const file = { path: "world.pck", size: 1, sha256: "w" };
const words = (failure: unknown) => (explain(failure, file) as Error).message;

test.each<[PutResponse | "incomplete", string]>([
  [
    { status: 400, code: "BadDigest" },
    "The store refused world.pck: it may have changed meanwhile. Choose the folder again.",
  ],
  [
    { status: 503, code: "SlowDown" },
    "world.pck could not be sent: the store has trouble. Try again in a minute: what is sent is kept.",
  ],
  [
    { status: 403, code: "AccessDenied" },
    "world.pck could not be sent: the store has trouble. Try again in a minute: what is sent is kept.",
  ],
  ["incomplete", "world.pck could not be completed. Try again: the parts that are sent are kept."],
])("after %j a person reads what to do", (cause, text) => {
  expect(words(new UploadFailure(cause))).toBe(text);
});

test("a failure of the network stays what it is", () => {
  const failure = unreachable("The store cannot be reached.");
  expect(explain(failure, file)).toBe(failure);
});
