import { expect, test } from "@jest/globals";
import { pageTo } from "./private-page.ts";

const url = new URL("https://games.example/authorize?state=a&scope=publish+projects");

test.each<[NodeJS.Platform, string, string]>([
  ["win32", "url", "[InternetShortcut]\r\nURL=https://games.example/authorize?state=a&scope=publish+projects\r\n"],
  ["darwin", "webloc", "<string>https://games.example/authorize?state=a&amp;scope=publish+projects</string>"],
  ["linux", "html", '<a href="https://games.example/authorize?state=a&amp;scope=publish+projects">'],
])("on %s the URL of a login is opened by a .%s file", (platform, extension, part) => {
  const page = pageTo(url, platform);
  expect(page.extension).toBe(extension);
  expect(page.content).toContain(part);
});
