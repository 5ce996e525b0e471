import { expect, test } from "@jest/globals";
import { contentTypeOf } from "./content-types.ts";

test.each([
  ["index.html", "text/html; charset=utf-8", true, true],
  ["a/b.SVG", "image/svg+xml", true, true],
  ["game.min.js", "text/javascript; charset=utf-8", true, false],
  ["game.wasm", "application/wasm", true, false],
  ["level.json", "application/json", true, false],
  ["hero.png", "image/png", false, false],
  ["song.ogg", "audio/ogg", false, false],
  ["data.bin", "application/octet-stream", false, false],
  ["no-extension", "application/octet-stream", false, false],
  ["folder.js/file", "application/octet-stream", false, false],
  ["file.constructor", "application/octet-stream", false, false],
  [".html", "text/html; charset=utf-8", true, true],
])("%s is %s", (path, type, isInline, isDocument) => {
  expect(contentTypeOf(path)).toEqual({ type, isInline, isDocument });
});
