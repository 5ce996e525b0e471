import { expect, test } from "@jest/globals";
import { gameUrl, liveUrl } from "./live-url.ts";

const api = new URL("https://api.svc.test/stage/");

test("the live URL is the play URL of the API, or the file route", () => {
  expect(liveUrl(api, "game", "https://game.play.test/").href).toBe("https://game.play.test/");
  expect(liveUrl(api, "game", "http://game.localhost:8787/").href).toBe("http://game.localhost:8787/");
  expect(liveUrl(api, "game", null).href).toBe("https://api.svc.test/stage/projects/game/files/index.html");
});

test("a preview's URL is the game's", () => {
  const url = "https://game--pr-12.play.test/.well-known/svc/profile#tgr_x";
  expect(gameUrl(api, "game", url).href).toBe(url);
});

test.each([
  "http://game.play.test/",
  "file:///etc/passwd",
  "file://game.play.test/etc/passwd",
  "javascript:alert(1)",
  "--new-window",
  "https://games.play.test/",
  "https://bank.example/",
  "no URL",
])("%s is refused, so that no browser opens it", (url) => {
  for (const check of [liveUrl, gameUrl])
    expect(() => check(api, "game", url)).toThrow(expect.objectContaining({ code: "unexpected_response" }));
});
