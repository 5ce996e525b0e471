import { expect, test } from "@jest/globals";
import { isUnmarked, namesOf } from "./zip-names.ts";

/* The bytes are what Windows writes: Japanese in code page 932, German in 850, Chinese in 936, Russian in 866. */
const gameAndSound = [
  [0x83, 0x51, 0x81, 0x5b, 0x83, 0x80, 0x2e, 0x70, 0x6e, 0x67],
  [0x89, 0xb9, 0x2f, 0x83, 0x5c, 0x81, 0x5b, 0x83, 0x58, 0x2e, 0x6f, 0x67, 0x67],
];
const bytes = (all: readonly number[][]) => all.map((one) => Uint8Array.from(one));

test("Japanese names are certain", () => {
  expect(namesOf(bytes(gameAndSound), ["âQü[âÇ.png", "ë╣/â\\ü[âX.ogg"])).toEqual({
    names: ["ゲーム.png", "音/ソース.ogg"],
    isCertain: true,
  });
});

test("western names are read as code page 437, and are not certain", () => {
  const groesse = [0x67, 0x72, 0x94, 0xe1, 0x65, 0x2e, 0x70, 0x6e, 0x67];
  expect(namesOf(bytes([groesse]), ["größe.png"])).toEqual({ names: ["größe.png"], isCertain: false });
});

test.each([
  ["Chinese", [0xd3, 0xce, 0xcf, 0xb7, 0x2e, 0x70, 0x6e, 0x67], "╙╬╧╖.png"],
  ["Russian", [0xa8, 0xa3, 0xe0, 0xa0, 0x2e, 0x70, 0x6e, 0x67], "¿úαá.png"],
])("%s names cannot be told", (_, raw, as437) => {
  expect(namesOf(bytes([raw]), [as437])).toBeUndefined();
});

test("only what is neither ASCII nor UTF-8 has to be read so", () => {
  const names = ["a.png", "größe.png", "ゲーム.png"].map((name) => new TextEncoder().encode(name));
  expect(names.map(isUnmarked)).toEqual([false, false, false]);
  expect(bytes(gameAndSound).map(isUnmarked)).toEqual([true, true]);
});
