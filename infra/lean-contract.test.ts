import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { leanModule } from "./lean-contract.ts";

const files = readdirSync("contract").filter((name) => /^[a-z-]+\.ts$/.test(name));

test.each(files)("contract/%s has no responses in a bundle, and each unused constant is removed", async (name) => {
  const code = await leanModule(readFileSync(`contract/${name}`, "utf8"));
  expect(code).not.toMatch(/^ {2}responses: \{[^}]/m);
  for (const [line] of code.matchAll(/^(?:export )?const .*/gm)) expect(line).toContain("= /* @__PURE__ */ (() => (");
});

test.each([
  [
    "responses that are named elsewhere",
    "export const a = defineRoute({ path: '/a', responses });",
    "0 routes without responses of 1",
  ],
  [
    "a route without responses",
    "export const a = defineRoute({ path: '/a', method: 'GET' });",
    "0 routes without responses of 1",
  ],
  ["a variable", "export let a = 1;", "0 lazy constants of 1"],
  ["a pattern", "const { a } = z.object(b); export const c = a;", "1 lazy constants of 2"],
])("%s cannot be removed, so the build fails", async (_, source, mistake) => {
  await expect(leanModule(source)).rejects.toThrow(mistake);
});
