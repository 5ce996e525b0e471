import { expect, test } from "@jest/globals";
import { liveUrl } from "./live-url.ts";

const api = new URL("https://api.svc.test/stage/");

test("the live URL is the play URL of the API, or the file route", () => {
  expect(liveUrl(api, "game", "https://game.play.test/").href).toBe("https://game.play.test/");
  expect(liveUrl(api, "game", "http://game.localhost:8787/").href).toBe("http://game.localhost:8787/");
  expect(liveUrl(api, "game", null).href).toBe("https://api.svc.test/stage/projects/game/files/index.html");
});

test.each(["http://game.play.test/", "file:///etc/passwd", "javascript:alert(1)", "no URL"])(
  "%s is refused, so that no browser opens it",
  (url) => {
    expect(() => liveUrl(api, "game", url)).toThrow(expect.objectContaining({ code: "unexpected_response" }));
  },
);
