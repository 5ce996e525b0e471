import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, win32 } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { inventToken } from "../../test/support/cli/cli.ts";
import { credentialPath, readCredentials } from "./credential-file.ts";

test.each([
  [{ XDG_CONFIG_HOME: "/cfg" }, "/cfg/svc/credentials"],
  [{}, "/home/ada/.config/svc/credentials"],
  [{ XDG_CONFIG_HOME: "" }, "/home/ada/.config/svc/credentials"],
  [{ XDG_CONFIG_HOME: "cfg" }, "/home/ada/.config/svc/credentials"],
])("on Unix %j keeps the credential in %s", (environment, expected) => {
  expect(credentialPath(environment, "/home/ada", posix)).toBe(expected);
});

test.each([
  [{}, "C:\\Users\\Ada\\.config\\svc\\credentials"],
  [{ XDG_CONFIG_HOME: "D:\\cfg" }, "D:\\cfg\\svc\\credentials"],
  [{ XDG_CONFIG_HOME: "cfg" }, "C:\\Users\\Ada\\.config\\svc\\credentials"],
])("on Windows %j keeps the credential in %s", (environment, expected) => {
  expect(credentialPath(environment, "C:\\Users\\Ada", win32)).toBe(expected);
});

test.each(["", "home"])("without a usable home directory (%p) there is no credential path", (home) => {
  expect(credentialPath({}, home, posix)).toBeUndefined();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const file = join(folder, "credentials");
  writeFileSync(file, text, { mode: 0o600 });
  return readCredentials(file, () => {});
}

test.each([
  ["half a line", "http://127.0.0.1:1 pat_abc"],
  ["something else", '{"token": 1}\n'],
  ["three words", "http://127.0.0.1:1 a b\n"],
  ["five words", `http://127.0.0.1:1 ${inventToken()} a b c\n`],
  ["a uid that is not encoded", `http://127.0.0.1:1 ${inventToken()} 100% b\n`],
  ["a token for no URL", `api.svc.example ${inventToken()}\n`],
  ["a token for plain http to another machine", `http://api.svc.example ${inventToken()}\n`],
])("%s is damage", (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: "credential_file_damaged" }));
});

test("lines with CRLF are read", () => {
  const token = inventToken();
  expect(read(`# comment\r\nhttp://127.0.0.1:1 ${token} ada Ada\r\n`)).toMatchObject([
    { token, account: { uid: "ada", name: "Ada" } },
  ]);
});
