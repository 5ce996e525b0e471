import { expect, test } from "@jest/globals";
import { siteOf } from "./host.ts";

test.each([
  ["my-game.games.example", { kind: "game", slug: "my-game" }],
  ["My-Game.Games.Example.:443", { kind: "game", slug: "my-game" }],
  ["my-game--0123456789abcdef0123.games.example", { kind: "preview", slug: "my-game", digits: "0123456789abcdef0123" }],
  ["my-game--0123.games.example", { kind: "none" }],
  ["my-game--0123456789abcdef012g.games.example", { kind: "none" }],
  ["a--0123456789abcdef0123.games.example", { kind: "none" }],
  ["my_game--0123456789abcdef0123.games.example", { kind: "none" }],
  ["xn--80ak6aa92e.games.example", { kind: "none" }],
  ["-game.games.example", { kind: "none" }],
  ["abc.games.example", { kind: "game", slug: "abc" }],
  ["ab.games.example", { kind: "none" }],
  ["a.games.example", { kind: "none" }],
  ["game-.games.example", { kind: "none" }],
  ["my-game--0123456789abcdef01234.games.example", { kind: "none" }],
  ["my-game:443.games.example", { kind: "none" }],
  [`${"a".repeat(40)}.games.example`, { kind: "game", slug: "a".repeat(40) }],
  ["a.my-game.games.example", { kind: "none" }],
  [`${"a".repeat(41)}.games.example`, { kind: "none" }],
  [".games.example", { kind: "none" }],
  ["games.example", undefined],
  ["my-game.games.example.evil.test", undefined],
  ["evilgames.example", undefined],
  ["api.example", undefined],
  ["127.0.0.1:8787", undefined],
  ["", undefined],
])("the host %s is %j", (host, site) => {
  expect(siteOf(host, "games.example")).toEqual(site);
});

test("a port in the games domain does not count", () => {
  expect(siteOf("my-game.localhost:8787", "localhost:8787")).toEqual({ kind: "game", slug: "my-game" });
  expect(siteOf("localhost:8787", "localhost:8787")).toBeUndefined();
});
