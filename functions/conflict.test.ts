import { expect, test } from "@jest/globals";
import { ConflictError, retryOnConflict } from "./conflict.ts";
import { StorageUnavailableError } from "./storage-unavailable-error.ts";

/** Fails with each of these errors once. */
function attempts(errors: Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return left.length;
  };
}

test("a conflict is retried, nine times at most", async () => {
  const changed = (count: number) => Array.from({ length: count }, () => new ConflictError());
  expect(await retryOnConflict(attempts(changed(9)))).toBe(0);
  await expect(retryOnConflict(attempts(changed(10)))).rejects.toThrow(StorageUnavailableError);
});

test("any other error is thrown at once", async () => {
  const error = new Error("broken");
  await expect(retryOnConflict(attempts([error]))).rejects.toBe(error);
});
