import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { IgnoreRules } from "../../../contract/folder/ignore-rules.ts";
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

test.each([
  "index.html",
  "environment.js",
  "keyboard.js",
  "credentials.html",
  "levels/boss.key",
  "keep.psd",
  "a/drafts/x",
  "pem/a.txt",
])("%s is published", (path) => {
  expect(judge(path)).toBe("publish");
});

test.each([
  "a.js.map",
  "art/a.psd",
  "drafts/",
  ".git/",
  ".hg/",
  ".svn/",
  "a/.DS_Store",
  "Thumbs.db",
  "desktop.ini",
  ".index.html.swp",
  "node_modules/",
  "node_modules",
  "svc.toml",
  ".svcignore",
])("%s is ignored", (path) => {
  expect(judge(path)).toBe("ignored");
});

test.each(["C", "D"])("a name in Unicode normalisation form %s is ignored by the same pattern", (form) => {
  expect(judge("entwürfe/".normalize(`NF${form}`))).toBe("ignored");
});

// One for each pattern, and some that differ in case or folder.
test.each([
  ".env",
  ".env.production",
  "a/.ENV",
  ".dev.vars",
  "server.pem",
  "tls.key",
  "a.p12",
  "a.pfx",
  "a.jks",
  "release.keystore",
  "passwords.kdbx",
  "id_rsa",
  "id_dsa",
  "id_ecdsa_sk",
  "id_ed25519.pub",
  ".ssh/",
  ".aws/",
  ".gnupg/",
  ".kube/",
  ".docker/",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  "credentials",
  "credentials.json",
  "client_secret_1.json",
  "service-account-1.json",
  "serviceAccountKey.json",
  "secrets.json",
  "secrets.yaml",
  "secrets.yml",
  "secrets.toml",
  "terraform.tfstate.backup",
  "prod.tfvars",
])("%s may contain a secret", (path) => {
  expect(judge(path)).toBe("secret");
});

test.each([
  ["node_modules/", "node_modules", "built-in"],
  ["a/notes.txt~", "*~", "built-in"],
  ["app.js.map", "*.map", "svc.toml"],
  ["cover.psd", "*.psd", ".svcignore"],
  ["drafts/", "/drafts/", ".svcignore"],
])("%s is excluded by %s of %s", (path, pattern, source) => {
  expect(rules.ruleOf(path)).toEqual({ pattern, source });
});

test("no rule excludes a published file", () => {
  expect(rules.ruleOf("keep.psd")).toBeUndefined();
});
