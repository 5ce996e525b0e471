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

test("the local service may have games on the network, at its own port", () => {
  const local = new URL("http://127.0.0.1:8787/");
  const url = "http://game.192-168-1-5.sslip.io:8787/";
  expect(gameUrl(local, "game", url).href).toBe(url);
  expect(() => gameUrl(local, "game", url.replace("8787", "80"))).toThrow("not the game's");
  expect(() => gameUrl(new URL("https://127.0.0.1:8787/"), "game", url)).toThrow("not the game's");
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
