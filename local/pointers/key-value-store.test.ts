import { expect, test } from "@jest/globals";
import { KeyValueStore } from "./key-value-store.ts";

test("an update that changes nothing keeps the ETag, so no other writer retries because of it; any other has a new one", () => {
  const store = new KeyValueStore();
  const put = (Value: string) => {
    store.update(store.state.etag, { Puts: [{ Key: "game", Value }] });
    return store.state.etag;
  };
  const first = put("1");
  expect(put("1")).toBe(first);
  store.update(first, { Deletes: [{ Key: "none" }] });
  expect(store.state.etag).toBe(first);
  expect(put("2")).not.toBe(first);
  expect(() => store.update(first, {})).toThrow("Pre-Condition failed");
});
