import { expect, test } from "@jest/globals";
import { filesIn } from "./files.ts";

const file = (path: string, size = 1) => ({ path, size, sha256: "" });
const all = [file("a/b/c.png", 5), file("a/b/d/e.png", 7), file("a/f.png"), file("a.js"), file("b.js")];

test("a folder has its folders, with all that is in them, and the files that lie in it", () => {
  expect(filesIn("", all)).toEqual({
    folders: [{ path: "a/", files: 3, bytes: 13 }],
    files: [file("a.js"), file("b.js")],
  });
  expect(filesIn("a/", all)).toEqual({ folders: [{ path: "a/b/", files: 2, bytes: 12 }], files: [file("a/f.png")] });
  expect(filesIn("nowhere/", all)).toEqual({ folders: [], files: [] });
});
