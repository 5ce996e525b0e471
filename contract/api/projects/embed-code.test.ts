import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { embedAdvice, embedCode } from "./embed-code.ts";

test("the name of a game cannot leave its attribute", () => {
  expect(embedCode("https://star.games.example/", 'A "B" <c> & d')).toBe(
    '<iframe src="https://star.games.example/" title="A &quot;B&quot; &lt;c> &amp; d" width="960" height="540" allow="autoplay; fullscreen; gamepad; cross-origin-isolated"></iframe>',
  );
});

test.each([
  ["docs/playing.md", "https://my-game.games.example/"],
  ["docs/publish-your-game.md", "https://my-game.<games domain>/"],
])("%s shows the same code", (document, url) => {
  expect(readFileSync(document, "utf8")).toContain(embedCode(url, "My Game"));
});

test("only of a game with threads the page around it must be isolated", () => {
  expect(embedAdvice(false)).toBeUndefined();
  for (const isolation of [true, "credentialless"] as const)
    expect(embedAdvice(isolation)).toContain("Its threads start only on a page that is isolated too");
});
