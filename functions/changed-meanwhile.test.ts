import { expect, test } from "@jest/globals";
import { ChangedMeanwhile, whileUnchanged } from "./changed-meanwhile.ts";
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

test("what changed meanwhile is begun again, nine times at most", async () => {
  const changed = (count: number) => Array.from({ length: count }, () => new ChangedMeanwhile());
  expect(await whileUnchanged(attempts(changed(9)))).toBe(0);
  await expect(whileUnchanged(attempts(changed(10)))).rejects.toThrow(StorageUnavailableError);
});

test("any other error ends it at once", async () => {
  const error = new Error("broken");
  await expect(whileUnchanged(attempts([error]))).rejects.toBe(error);
});
