import { afterEach, expect, test } from "@jest/globals";
import { newGamesDomain, playUrl, previewUrl } from "./play-url.ts";

afterEach(() => {
  delete process.env["GAMES_DOMAIN"];
});

const slug = "my-game";

test.each([
  ["games.example.net", "https://my-game.games.example.net/"],
  ["localhost:8787", "http://my-game.localhost:8787/"],
  ["localhost.example.net", "https://my-game.localhost.example.net/"],
  ["", null],
])("below %j a project is played at %s", (domain, url) => {
  process.env["GAMES_DOMAIN"] = domain;
  expect(playUrl({ slug })).toBe(url);
});

test("new projects get the last games domain, and each goes on with the one that it began with", () => {
  process.env["GAMES_DOMAIN"] = "one.example";
  const first = { slug, ...newGamesDomain() };
  process.env["GAMES_DOMAIN"] = "one.example,two.example";
  const second = { slug, ...newGamesDomain() };
  process.env["GAMES_DOMAIN"] = "one.example,two.example,three.example";
  expect([first, second].map(playUrl)).toEqual(["https://my-game.one.example/", "https://my-game.two.example/"]);
  expect(previewUrl(second, "0".repeat(64))).toBe("https://my-game--00000000000000000000.two.example/");
  expect(first).not.toHaveProperty("gamesDomain");
});
