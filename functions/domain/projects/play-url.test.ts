import { afterEach, expect, test } from "@jest/globals";
import { playUrl } from "./play-url.ts";

afterEach(() => {
  delete process.env["GAMES_DOMAIN"];
});

test.each([
  ["games.example.net", "https://my-game.games.example.net/"],
  ["localhost:8787", "http://my-game.localhost:8787/"],
  ["localhost.example.net", "https://my-game.localhost.example.net/"],
  ["", null],
])("below %j a project is played at %s", (domain, url) => {
  process.env["GAMES_DOMAIN"] = domain;
  expect(playUrl("my-game")).toBe(url);
});
