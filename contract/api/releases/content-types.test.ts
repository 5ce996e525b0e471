import { expect, test } from "@jest/globals";
import registered from "mime-db/db.json" with { type: "json" };
import { contentTypeOf, isCompressedType, storedEncodingOf } from "./content-types.ts";

test.each([
  ["index.html", "text/html; charset=utf-8", true, true],
  ["a/b.SVG", "image/svg+xml", true, true],
  ["game.min.js", "text/javascript; charset=utf-8", true, false],
  ["three.jsm", "text/javascript; charset=utf-8", true, false],
  ["main.es6", "text/javascript; charset=utf-8", true, false],
  ["world.ldtk", "application/json", true, false],
  ["world.tmx", "application/xml", true, true],
  ["intro.m3u8", "application/vnd.apple.mpegurl", true, false],
  ["intro.mpd", "application/dash+xml", true, true],
  ["hand.cur", "image/x-icon", false, false],
  ["game.wasm", "application/wasm", true, false],
  ["level.json", "application/json", true, false],
  ["hero.png", "image/png", false, false],
  ["song.ogg", "audio/ogg", false, false],
  ["trailer.mov", "video/quicktime", false, false],
  ["intro.m4v", "video/mp4", false, false],
  ["song.weba", "audio/webm", false, false],
  ["spin.apng", "image/apng", false, false],
  ["photo.jfif", "image/jpeg", false, false],
  ["photo.jxl", "image/jxl", false, false],
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
  ["icons/a.svgz", "gzip", "icons/a.svg"],
])("%s is stored with the encoding %s", (path, encoding, innerPath) => {
  expect(storedEncodingOf(path)).toEqual({ encoding, innerPath });
});

test.each([
  "game.br",
  "dir.js/br",
  ".js.br",
  "a/.js.gz",
  "maps.tar.gz",
  "game.js",
  "game.js.bro",
  "gz",
  "a..br",
  ".svgz",
  "a/.svgz",
])("%s is stored as it is", (path) => {
  expect(storedEncodingOf(path)).toBeUndefined();
});

interface MediaType {
  readonly source?: string;
  readonly compressible?: boolean;
  readonly extensions?: readonly string[];
}

const types: Readonly<Record<string, MediaType | undefined>> = registered;
const ofDocuments = "htm html svg xhtml xml".split(" ");
const ofTexts = "css csv gltf js json map md mjs txt vtt wasm webmanifest".split(" ");
const ofMedia =
  "aac avif bmp gif glb ico jpeg jpg ktx2 m4a mp3 mp4 oga ogg ogv opus otf pdf png ttf wav webm webp woff woff2 zip";

test.each([...ofDocuments, ...ofTexts, ...ofMedia.split(" ")])(
  "%s has a type that is registered for it",
  (extension) => {
    const { type, isInline, isDocument } = contentTypeOf(`file.${extension}`);
    const [essence = "", charset] = type.split("; ");
    expect(types[essence]?.extensions).toContain(extension);
    expect(charset).toBe(essence.startsWith("text/") ? "charset=utf-8" : undefined);
    expect({ isInline, isDocument }).toEqual({
      isInline: !ofMedia.split(" ").includes(extension),
      isDocument: ofDocuments.includes(extension),
    });
  },
);

test.each([
  ..."atlas fnt frag glsl mtl obj vert wgsl".split(" ").map((extension) => [extension, "text/plain; charset=utf-8"]),
  ["cjs", "text/javascript; charset=utf-8"],
  ["tmj", "application/json"],
  ["flac", "audio/flac"],
])("%s, which engines write and nobody has registered so, is %s", (extension, type) => {
  expect(contentTypeOf(`file.${extension}`).type).toBe(type);
});

test("what is compressed already is not compressed again: media, fonts and archives, by the end of the name", () => {
  const compressed =
    "7z aac avif basis br flac gif gz jpeg JPG ktx2 m4a mp3 mp4 oga ogg ogv opus pdf png rar unityweb webm webp woff woff2 xz zip zst";
  expect(compressed.split(" ").filter((extension) => !isCompressedType(`a.b/c.${extension}`))).toEqual([]);
  const others = ["a.png.js", "png", "a.wav", "a.bmp", "a.ttf", "a.otf", "a.svg", "a.xpng", "a.jpgx", "a.wasm"];
  expect(others.filter(isCompressedType)).toEqual([]);
});
