import { expect, test } from "@jest/globals";
import { chosenCommand } from "./browser.ts";

const url = "https://my-game.example/?a=b c";

test.each([
  ["firefox", ["firefox", url]],
  ["firefox --private-window", ["firefox", "--private-window", url]],
  ["w3m  %s -dump", ["w3m", url, "-dump"]],
  // A path that is there is a program, also with spaces.
  [import.meta.filename, [import.meta.filename, url]],
])("BROWSER=%s", (chosen, command) => {
  expect(chosenCommand(chosen, url)).toEqual(command);
});
