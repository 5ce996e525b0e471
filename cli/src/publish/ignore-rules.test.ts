import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type IgnoreRules, ignoreRulesOf, unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import * as names from "../../../test/support/folder/names.ts";
import { ignoreRules } from "./ignore-rules.ts";

let root: string;
let rules: IgnoreRules;
const judge = (path: string) => rules.judge(path);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "svc-ignore-"));
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, ".svcignore"), "# beside svc.toml\r\n/entwürfe/\r\n*.psd\r\n!keep.psd\r\n");
  writeFileSync(join(root, "dist", ".svcignore"), "/drafts/\n!boss.key\n");
  rules = ignoreRules(join(root, "dist"), root, ["*.map"]);
});
afterAll(() => rmSync(root, { recursive: true }));

test.each([...names.published, "levels/boss.key", "keep.psd"])("%j is published", (path) => {
  expect(judge(path)).toBe("publish");
});

test.each([...names.ignored, "a.js.map", "art/a.psd", "drafts/", ".git/", "node_modules/", "node_modules"])(
  "%j is ignored",
  (path) => {
    expect(judge(path)).toBe("ignored");
  },
);

test("what svc.toml or .svcignore names is no warning, also if it may be a secret", () => {
  const own = ignoreRulesOf({ settings: ["*.pem"], ignoreFiles: ["/keys/"] });
  expect(["server.pem", "keys/a.key", "a.key"].map(own.judge)).toEqual(["ignored", "ignored", "secret"]);
});

test("!name brings back a dot file, and nothing beside it", () => {
  const own = ignoreRulesOf({ settings: ["!/.data"], ignoreFiles: ["!.nojekyll"] });
  expect([".nojekyll", ".data/a.json", ".data/.env", ".other"].map(own.judge)).toEqual([
    "publish",
    "publish",
    "secret",
    "ignored",
  ]);
});

test.each(["C", "D"])("a name in Unicode normalisation form %s is ignored by the same pattern", (form) => {
  expect(judge("entwürfe/".normalize(`NF${form}`))).toBe("ignored");
});

test.each([...names.secret, ".ssh/", ".ssh"])("%s may contain a secret", (path) => {
  expect(judge(path)).toBe("secret");
});

test.each([
  ["node_modules/", "node_modules", "built-in"],
  [".claude/", ".*", "built-in"],
  ["server.pem", "*.pem", "built-in"],
  ["a/notes.txt~", "*~", "built-in"],
  ["app.js.map", "*.map", "svc.toml"],
  ["cover.psd", "*.psd", ".svcignore"],
  ["drafts/", "/drafts/", ".svcignore"],
])("%s is excluded by %s of %s", (path, pattern, source) => {
  expect(rules.ruleOf(path)).toEqual({ pattern, source });
});

test.each([
  ["UTF-16", Buffer.from("\ufeff/secret.txt\r\n", "utf16le")],
  ["big-endian UTF-16", Buffer.from("\ufeff/secret.txt\r\n", "utf16le").swap16()],
])("a .svcignore in %s, which PowerShell's > writes, is obeyed", (_, bytes) => {
  mkdirSync(join(root, "game"), { recursive: true });
  writeFileSync(join(root, "game", ".svcignore"), bytes);
  const own = ignoreRules(join(root, "game"), join(root, "game"), []);
  expect(["secret.txt", "game.js"].map(own.judge)).toEqual(["ignored", "publish"]);
});

test("each own pattern that matches nothing is named, whatever other patterns say", () => {
  const own = ignoreRulesOf({
    settings: ["*.psd", "*.wav"],
    ignoreFiles: ["# notes\n\n/drafts/\n!keep.psd\n!gone.psd \n*.psd"],
  });
  for (const path of ["a.psd", "keep.psd", "drafts/a.txt", "node_modules/"]) own.judge(path);
  expect(unmatchedAdvice(own)).toEqual([
    { code: "patterns_unmatched", places: ["*.wav (svc.toml)", "!gone.psd (.svcignore)"] },
  ]);
  own.judge("a.wav");
  own.judge("gone.psd");
  expect(unmatchedAdvice(own)).toEqual([]);
});

test("no rule excludes a published file", () => {
  expect(rules.ruleOf("keep.psd")).toBeUndefined();
});
