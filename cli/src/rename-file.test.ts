import { expect, test } from "@jest/globals";
import { renameFile } from "./rename-file.ts";

/** A rename that fails so often, with this code. */
function failing(times: number, code: string) {
  const calls: unknown[] = [];
  const rename = (...paths: unknown[]) => {
    calls.push(paths);
    if (calls.length <= times) throw Object.assign(new Error(code), { code, errno: -1, syscall: "rename" });
  };
  return { calls, rename };
}

test.each(["EPERM", "EBUSY", "EACCES"])("a rename that gets %s is retried", (code) => {
  const { calls, rename } = failing(2, code);
  renameFile("a", "b", rename);
  expect(calls).toEqual([
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
  ]);
});

test("after six tries the failure is thrown", () => {
  const { calls, rename } = failing(Number.POSITIVE_INFINITY, "EPERM");
  expect(() => renameFile("a", "b", rename)).toThrow("EPERM");
  expect(calls).toHaveLength(6);
});

test("another failure is thrown at once", () => {
  const { calls, rename } = failing(1, "ENOSPC");
  expect(() => renameFile("a", "b", rename)).toThrow("ENOSPC");
  expect(calls).toHaveLength(1);
});
