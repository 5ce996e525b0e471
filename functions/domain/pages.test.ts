import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "./pages.ts";

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
  fc.assert(fc.property(fc.string({ unit: "binary" }), refused));
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
