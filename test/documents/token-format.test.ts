import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { isWellFormedToken } from "../../contract/api/tokens/token-format.ts";
import { RawToken } from "../../functions/domain/tokens/raw-token.ts";

const page = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8");
const pattern = new RegExp(/```regex\n(.*)\n```/.exec(page)?.[1] ?? "", "g");
const vectors = [...page.matchAll(/^\| `(pat_\w+)` +\| (.*?) +\|$/gm)].map(([, text = "", is = ""]) => ({ text, is }));

test("the test vectors of SECURITY.md are what the page says", () => {
  expect(vectors).toHaveLength(6);
  for (const { text, is } of vectors)
    expect({ text, is: isWellFormedToken(text) }).toEqual({ text, is: is === "a token" });
});

test("its regular expression finds every token, and none in a longer word", () => {
  const tokens = Array.from({ length: 100 }, () => RawToken.generate("a".repeat(22)).reveal());
  expect(`SVC_TOKEN="${tokens.join('";x=')}"`.match(pattern)).toEqual(tokens);
  expect(tokens.map((token) => `x${token}`).join(" ")).not.toMatch(pattern);
});
