import { afterEach, expect, test } from "@jest/globals";
import type { Project } from "../../entities/project.ts";
import { countedFileUrl, pictureUrl, playUrl, previewUrl } from "./play-url.ts";

afterEach(() => {
  delete process.env["GAMES_DOMAIN"];
  delete process.env["GAMES_EDGE_DOMAIN"];
});

const slug = "my-game";

test.each([
  ["games.example.net", "https://my-game.games.example.net/"],
  ["localhost:8787", "http://my-game.localhost:8787/"],
  ["localhost", "http://my-game.localhost/"],
  ["192-168-1-5.sslip.io:8787", "http://my-game.192-168-1-5.sslip.io:8787/"],
  ["localhost.example.net", "https://my-game.localhost.example.net/"],
  ["games-localhost", "https://my-game.games-localhost/"],
  ["", null],
])("below %j a project is played at %s", (domain, url) => {
  process.env["GAMES_DOMAIN"] = domain;
  expect(playUrl({ slug })).toBe(url);
});

test("a preview has a host of its own", () => {
  process.env["GAMES_DOMAIN"] = "one.example";
  const preview = { releaseId: "1", manifest: "0".repeat(64), openedAt: "", expiresAt: 1 };
  expect(previewUrl({ slug }, preview)).toBe("https://my-game--00000000000000000000.one.example/");
  const named = { ...preview, name: "pr-12", digits: "1".repeat(20) };
  expect(previewUrl({ slug }, named)).toBe("https://my-game--11111111111111111111.one.example/");
});

test("a picture is a file of the game's host, for who can play the game", () => {
  const picture = "art/the cover #1.png";
  const of = (attributes: object) => pictureUrl({ slug, ...attributes } as Project, picture);
  expect(of({})).toBeNull();
  process.env["GAMES_DOMAIN"] = "one.example";
  expect(of({})).toBe("https://my-game.one.example/art/the%20cover%20%231.png");
  expect(pictureUrl({ slug } as Project, undefined)).toBeNull();
  expect(of({ deletedAt: "2026-01-01T00:00:00.000Z" })).toBeNull();
  expect(of({ suspension: { at: "2026-01-01T00:00:00.000Z", reason: "spam" } })).toBeNull();
});

test.each([
  ["index.html", "https://my-game.one.example/index.html"],
  ["a b/ü&#+?%2F.js", "https://my-game.one.example/a%20b/%C3%BC%26%23%2B%3F%252F.js"],
  ["/other.example/x", "https://my-game.one.example//other.example/x"],
  ["\ud800", "https://my-game.one.example/%EF%BF%BD"],
])("the file %j is counted at %s, if the service has a games' edge", (path, url) => {
  process.env["GAMES_DOMAIN"] = "one.example";
  expect(countedFileUrl({ slug }, path)).toBeNull();
  process.env["GAMES_EDGE_DOMAIN"] = "one.example";
  expect(countedFileUrl({ slug }, path)).toBe(url);
});
