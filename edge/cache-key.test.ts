import { expect, test } from "@jest/globals";
import { type CacheKey, cacheKeyOf, uriOf } from "./cache-key.ts";

const digest = "0123456789abcdef".repeat(4);
const key: CacheKey = { slug: "my-game-2", digest, purpose: "file", brotli: false, path: "/a.js" };

test.each<[Partial<CacheKey>, string]>([
  [{}, `/my-game-2/${digest}/if/a.js`],
  [{ purpose: "page", brotli: true, path: "/" }, `/my-game-2/${digest}/bp/`],
  [{ purpose: "worker", path: "/a\nb//c" }, `/my-game-2/${digest}/iw/a\nb//c`],
])("a key with %j is the URI %j, and is read back", (changes, uri) => {
  expect(uriOf({ ...key, ...changes })).toBe(uri);
  expect(cacheKeyOf(uri)).toEqual({ ...key, ...changes });
});

test.each([
  "/",
  "/projects/my-game/manifests/x.zst",
  `/x/my-game/${digest}/if/a.js`,
  `/my_game/${digest}/if/a.js`,
  `/my-game/${digest}0/if/a.js`,
  `/my-game/${digest.slice(1)}/if/a.js`,
  `/my-game/${digest.toUpperCase()}/if/a.js`,
  `/my-game/${digest}/f/a.js`,
  `/my-game/${digest}/ix/a.js`,
  `/my-game/${digest}/xf/a.js`,
  `/my-game/${digest}/if`,
])("no viewer function made the URI %s", (uri) => {
  expect(cacheKeyOf(uri)).toBeUndefined();
});
