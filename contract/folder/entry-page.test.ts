import { expect, test } from "@jest/globals";
import { insteadOfIndex } from "./entry-page.ts";

test.each([
  [["My Story.html", "art/a.png"], { page: "My Story.html" }],
  [["a.png", "index.htm"], { page: "index.htm" }],
  [["Index.HTML", "help.html", "web/index.html"], { page: "Index.HTML" }],
  [["a/b/index.html", "help.html", "build/web/index.html", "c/index.html"], { folder: "c/" }],
  [["one.html", "two.html"], undefined],
  [["deep/My Story.html", "a.js", "page.html.txt"], undefined],
  [[], undefined],
])("of %j it is %j", (paths, found) => {
  expect(insteadOfIndex(paths)).toEqual(found);
});
