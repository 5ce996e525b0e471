import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyText } from "../../test/support/any-text.ts";
import { cursorAfter, decodeCursor, encodeCursor, sliceOf, sliceOfAll } from "./pages.ts";

test("a cursor leads back to its id", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{1,64}$/), (id) => {
      expect(decodeCursor(encodeCursor(id, "tokens"), "tokens")).toBe(id);
    }),
  );
});

test("a cursor that is not from a list is refused", () => {
  const refused = (cursor: string) => {
    try {
      return encodeCursor(decodeCursor(cursor, "tokens"), "tokens") === cursor;
    } catch (error) {
      return (error as Error).message === "invalid_cursor";
    }
  };
  fc.assert(fc.property(anyText(), refused));
  for (const cursor of [
    "",
    "ACCOUNT#x",
    encodeCursor("a#b", "tokens"),
    `${encodeCursor("abc", "tokens")}=`,
    encodeCursor("x".repeat(65), "tokens"),
    encodeCursor("abc", "events"),
  ])
    expect(() => decodeCursor(cursor, "tokens")).toThrow("invalid_cursor");
});

test("a page begins after the last item of the page before, and nothing follows the last page", () => {
  const cursor = cursorAfter("b", "tokens") ?? "";
  expect(sliceOf({ limit: 2, cursor }, "tokens")).toEqual({ limit: 2, after: "b" });
  expect(sliceOf({ limit: 2 }, "tokens")).toEqual({ limit: 2 });
  expect(cursorAfter(undefined, "tokens")).toBeNull();
});

test("texts that are all known come in their order, and another page follows if there are more", () => {
  const all = ["2", "0", "1"];
  expect(sliceOfAll(all, { limit: 2 })).toEqual({ items: ["0", "1"], last: "1" });
  expect(sliceOfAll(all, { limit: 2, after: "1" })).toEqual({ items: ["2"] });
  expect(sliceOfAll(all, { limit: 3 })).toEqual({ items: ["0", "1", "2"] });
});
