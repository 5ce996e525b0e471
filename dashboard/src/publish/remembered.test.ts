import { beforeEach, expect, jest, test } from "@jest/globals";
import type { Choices } from "./choices.ts";
import { rememberChoices, rememberedChoices } from "./remembered.ts";

/** A browser's storage for the page, and how many characters it keeps at most. */
const kept = new Map<string, string>();
let most = Number.POSITIVE_INFINITY;

beforeEach(() => {
  kept.clear();
  most = Number.POSITIVE_INFINITY;
  jest.spyOn(console, "warn").mockImplementation(() => {});
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => {
        if (text.length > most) throw new DOMException("Full", "QuotaExceededError");
        kept.set(key, text);
      },
    },
  });
});

const picture = { path: "cover.png", bytes: btoa("picture") } as const;

test.each<Omit<Choices, "leftOut">>([
  { isolation: true },
  { isolation: false },
  { spa: true },
  { spa: false },
  { immutable: true },
  { immutable: false },
  { frame: "everybody" },
  { frame: "nobody" },
  { frame: ["https://portal.example"] },
  { picture },
])("%j is remembered, of this project alone", (choice) => {
  rememberChoices("bounce", { leftOut: ["notes/"], ...choice });
  expect(rememberedChoices("bounce")).toEqual({ leftOut: ["notes/"], ...choice });
  expect(rememberedChoices("other")).toEqual({ leftOut: [] });
});

test("the folder of a selection is of that selection alone", () => {
  rememberChoices("bounce", { leftOut: [], folder: "web/" });
  expect(rememberedChoices("bounce")).toEqual({ leftOut: [] });
});

test.each([
  "not JSON",
  "null",
  JSON.stringify({ isolation: "no", spa: 1, immutable: null, frame: "anybody", leftOut: "all" }),
  JSON.stringify({ picture: { path: "../cover.png", bytes: picture.bytes }, leftOut: [1] }),
  JSON.stringify({ picture: { path: "cover.png", bytes: "<svg>" } }),
])("%s, which somebody has put there, is nothing that a person chose", (text) => {
  rememberChoices("bounce", { leftOut: [], spa: true });
  for (const key of kept.keys()) kept.set(key, text);
  expect(rememberedChoices("bounce")).toEqual({ leftOut: [] });
});

test("if the browser has no room for the picture, the others are remembered", () => {
  most = 200;
  rememberChoices("bounce", { leftOut: [], spa: true, picture: { ...picture, bytes: btoa("picture".repeat(100)) } });
  expect(rememberedChoices("bounce")).toEqual({ leftOut: [], spa: true });
});
