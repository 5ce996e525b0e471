import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { alwaysAllowed, embedAdvice, embedCode, framePermissions, frameShapeNames } from "./embed-code.ts";

const url = "https://star.games.example/";

test("the name of a game cannot leave its attribute", () => {
  expect(embedCode(url, 'A "B" <c> & d')).toBe(
    '<iframe src="https://star.games.example/" title="A &quot;B&quot; &lt;c> &amp; d" width="960" height="540" style="border:0;width:100%;height:auto;aspect-ratio:16/9" loading="lazy" allow="autoplay; fullscreen; gamepad; cross-origin-isolated"></iframe>',
  );
});

test("a frame has what its maker wishes, and nothing else", () => {
  const code = embedCode(url, "Star", { shape: "9:16", features: ["midi", "web-share"], hasKeyboard: true });
  expect(code).toContain('width="360" height="640" style="border:0;width:100%;height:auto;aspect-ratio:9/16"');
  expect(code).toContain('allow="autoplay; fullscreen; gamepad; cross-origin-isolated; midi; web-share"');
  expect(code).toContain('onload="this.focus()"');
});

test.each(frameShapeNames)("the size without a style has the shape %s", (shape) => {
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(embedCode(url, "Star", { shape })) ?? [];
  const [wide, high] = shape.split(":");
  expect(Number(width) / Number(height)).toBeCloseTo(Number(wide) / Number(high));
});

test.each([
  ["docs/playing.md", "https://my-game.games.example/"],
  ["docs/publish-your-game.md", "https://my-game.<games domain>/"],
])("%s shows the same code", (document, url) => {
  expect(readFileSync(document, "utf8")).toContain(embedCode(url, "My Game"));
});

test("the chapter for portals says what each permission is for", () => {
  const rows = readFileSync("docs/playing.md", "utf8").match(/^\| `[^|]+\|/gm) ?? [];
  const named = rows.flatMap((row) => row.match(/`[a-z-]+`/g) ?? []);
  for (const feature of [...alwaysAllowed, ...framePermissions.flatMap(({ features }) => features)])
    expect(named).toContain(`\`${feature}\``);
});

test("only of a game with threads the page around it must be isolated", () => {
  expect(embedAdvice(false)).toBeUndefined();
  for (const isolation of [true, "credentialless"] as const)
    expect(embedAdvice(isolation)).toContain("Its threads start only on a page that is isolated too");
});
