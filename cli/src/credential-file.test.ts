import { posix, win32 } from "node:path";
import { expect, test } from "@jest/globals";
import { credentialPath } from "./credential-file.ts";

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
