import { beforeEach, expect, jest, test } from "@jest/globals";
import type { Choices } from "../../../publisher/settings.ts";
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

test.each<Partial<Choices>>([
  { isolation: true },
  { isolation: false },
  { spa: true },
  { spa: false },
  { whole: true },
  { whole: false },
  { immutable: true },
  { immutable: false },
  { frame: "everybody" },
  { frame: "nobody" },
  { frame: ["https://portal.example"] },
  { picture },
  { picture: undefined },
  { leftOut: ["notes/"] },
])("%j is remembered of this project alone, while the same release is live", (choice) => {
  rememberChoices("bounce", "r1", { page: "a.html", ...choice });
  expect(rememberedChoices("bounce", "r1")).toStrictEqual({ page: "a.html", ...choice });
  expect(rememberedChoices("other", "r1")).toEqual({});
  for (const live of ["r2", null]) expect(rememberedChoices("bounce", live)).toEqual({});
});

test("what is chosen before anything is live is remembered until something is", () => {
  rememberChoices("bounce", null, { spa: true });
  expect(rememberedChoices("bounce", null)).toEqual({ spa: true });
  expect(rememberedChoices("bounce", "r1")).toEqual({});
});

test("the folder of a selection is of that selection alone", () => {
  rememberChoices("bounce", "r1", { leftOut: [], folder: "web/" });
  expect(rememberedChoices("bounce", "r1")).toEqual({ leftOut: [] });
});

const of = (chosen: object) => JSON.stringify({ beside: "r1", chosen });

test.each([
  "not JSON",
  "null",
  JSON.stringify({ beside: "r1" }),
  of({ isolation: "no", spa: 1, whole: 1, immutable: null, frame: "anybody", leftOut: "all", page: 1 }),
  of({ picture: { path: "../cover.png", bytes: picture.bytes } }),
  of({ picture: { path: "cover.png", bytes: "<svg>" } }),
  of({ picture: { path: "cover.png", size: 1, sha256: "0", url: "https://elsewhere.example/" } }),
  // As it was kept until the service kept it.
  JSON.stringify({ isolation: true, leftOut: ["notes/"] }),
])("%s is nothing that a person chose", (text) => {
  rememberChoices("bounce", "r1", { spa: true });
  for (const key of kept.keys()) kept.set(key, text);
  expect(rememberedChoices("bounce", "r1")).toEqual({});
});

test("if the browser has no room for the picture, the others are remembered", () => {
  most = 200;
  rememberChoices("bounce", "r1", { spa: true, picture: { ...picture, bytes: btoa("picture".repeat(100)) } });
  expect(rememberedChoices("bounce", "r1")).toEqual({ spa: true });
});
