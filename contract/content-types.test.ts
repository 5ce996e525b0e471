import { expect, test } from "@jest/globals";
import { contentTypeOf, storedEncodingOf } from "./content-types.ts";

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

test.each([
  ["Build/game.wasm.br", "br", "Build/game.wasm"],
  ["Build/game.framework.js.gz", "gzip", "Build/game.framework.js"],
  ["game.DATA.BR", "br", "game.DATA"],
])("%s is stored with the encoding %s", (path, encoding, innerPath) => {
  expect(storedEncodingOf(path)).toEqual({ encoding, innerPath });
});

test.each(["game.br", "dir.js/br", ".js.br", "a/.js.gz", "maps.tar.gz", "game.js", "game.js.bro", "gz", "a..br"])(
  "%s is stored as it is",
  (path) => {
    expect(storedEncodingOf(path)).toBeUndefined();
  },
);
