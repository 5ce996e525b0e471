import { expect, test } from "@jest/globals";
import { type CacheKey, cacheKeyOf, filePathOf, uriOf } from "./cache-key.ts";

const release = "0123456789_-ABCdef".repeat(3).slice(0, 43);
const key: CacheKey = { site: "my-game-2", release, purpose: "file", brotli: false, path: "/a.js" };

test.each<[Partial<CacheKey>, string]>([
  [{}, `/my-game-2/${release}/if/a.js`],
  [{ purpose: "page", brotli: true, path: "/" }, `/my-game-2/${release}/bp/`],
  [{ site: "my-game--0123", release: { visit: "a_-.b", ownedSince: "" } }, "/my-game--0123/@a_-.b@/if/a.js"],
  [{ release: { visit: "", ownedSince: "mh3k" }, purpose: "worker" }, "/my-game-2/@@mh3k/iw/a.js"],
  [{ brotli: true, dictionary: release }, `/my-game-2/${release}/d${release}f/a.js`],
  [{ purpose: "worker", path: "/a\nb//c" }, `/my-game-2/${release}/iw/a\nb//c`],
])("a key with %j is the URI %j, and is read back", (changes, uri) => {
  expect(uriOf({ ...key, ...changes })).toBe(uri);
  expect(cacheKeyOf(uri)).toEqual({ ...key, ...changes });
});

test.each([
  "/",
  "/projects/my-game/manifests/x.zst",
  `/x/my-game/${release}/if/a.js`,
  `/my_game/${release}/if/a.js`,
  `/my-game/${release}0/if/a.js`,
  `/my-game/${release.slice(1)}/if/a.js`,
  `/my-game/${release}/f/a.js`,
  `/my-game/${release}/ix/a.js`,
  `/my-game/${release}/xf/a.js`,
  `/my-game/${release}/d${release.slice(1)}f/a.js`,
  `/my-game/${release}/if`,
])("no viewer function made the URI %s", (uri) => {
  expect(cacheKeyOf(uri)).toBeUndefined();
});

const content = `/.well-known/svc/files/${"0".repeat(64)}`;

test.each([
  ["/a%20b.bin", "/a%20b.bin"],
  [`/my-game-2/${release}/bf/a%20b.bin`, "/a%20b.bin"],
  [`${content}/a%20b.bin`, "/a%20b.bin"],
  [`/my-game-2/~abcdefgh/d${release}f${content}/a%20b.bin`, "/a%20b.bin"],
  ["/.well-known/svc/filesystem", "/.well-known/svc/filesystem"],
  ["-", "-"],
])("the logged URI %s is of the file %s", (uri, path) => {
  expect(filePathOf(uri)).toBe(path);
});
