import { expect, test } from "@jest/globals";
import { type Advice, adviceInWords } from "../../../contract/folder/advice.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { noIndex } from "../../../publisher/checks.ts";
import { Refused } from "../../../publisher/refused.ts";
import { explainRefusal, withOffer, wordsFor } from "./offers.ts";

const fileOff = { isolation: false, immutable: [], spa: false } satisfies ProjectFile;

test("a warning names the switch of what the person decides, and svc.toml of what it decides", () => {
  const texts = (file: ProjectFile) => {
    const { isolation, credentialless, spa, immutable } = wordsFor(file);
    return [isolation, credentialless, spa, immutable("a/*")];
  };
  const switches = [
    "the switch Threads",
    "the switch Threads",
    "the switch Single page",
    "the switch Keep in browsers",
  ];
  const inFile = [
    /^isolation = true/,
    /^isolation = true, or "credentialless"/,
    /^spa = true/,
    /^immutable = \["a\/\*"\]/,
  ];
  expect(texts({})).toEqual(switches);
  expect(texts(fileOff)).toEqual(inFile.map((text) => expect.stringMatching(text)));
});

test("settings that nobody decided are named, by the names of their switches", () => {
  const advice: Advice = { code: "settings_undecided", places: ["notes/"], settings: ["frame", "updates"] };
  expect(adviceInWords(advice, wordsFor({}))).toContain(": Embedding; Load whole files; notes/ left out.");
  expect(adviceInWords(advice)).toContain(": Embedding (frame); Load whole files (updates); notes/ left out.");
});

test("a way on leaves what was chosen before, and out what was left out", () => {
  const choices = { leftOut: ["notes/", "a.js"], spa: true };
  expect(withOffer(choices, { label: "", choices: { leftOut: ["a.js", "b.js"], isolation: true } })).toEqual({
    leftOut: ["notes/", "a.js", "b.js"],
    spa: true,
    isolation: true,
  });
  expect(withOffer(choices, { label: "", choices: { folder: "web/" } })).toEqual({ ...choices, folder: "web/" });
});

const packageJson = JSON.stringify({ scripts: { build: "vite build" } });

test.each<[paths: readonly string[], message: string, label: string | undefined]>([
  [
    ["game.js"],
    "It has no index.html, the page that players open first. Choose the folder that the build wrote.",
    undefined,
  ],
  [
    ["My Story.html"],
    "It has no index.html, the page that players open first, but My Story.html.",
    "Publish My Story.html as index.html",
  ],
  [
    ["a/build/index.html"],
    "It has no index.html, the page that players open first. There is one in a/build/.",
    "Publish the folder a/build/",
  ],
  [
    ["game.rar"],
    "It has nothing but game.rar, an archive that svc does not unpack. Unpack it, and publish the folder that has the game's index.html, or a zip of that folder.",
    undefined,
  ],
  [
    ["package.json"],
    "It has the source of a game, not its build. Build it first: npm run build. Then publish the folder that it writes.",
    undefined,
  ],
])("what %j has instead of a page is said, with a way on", (paths, message, label) => {
  const { message: words, offer } = explainRefusal(
    noIndex(paths, paths.includes("package.json") ? packageJson : undefined),
  );
  expect([words, offer?.label]).toEqual([message, label]);
});

test("places and choices of a refusal are those of the publisher", () => {
  const details = { places: ["a%.js: must not"], offer: { leftOut: ["a%.js"] } };
  expect(explainRefusal(new Refused({ code: "folder_refused" }, details))).toMatchObject({
    message: "Some files cannot be published. Rename them, or leave them out.",
    places: details.places,
    offer: { label: "Leave them out and continue", choices: details.offer },
  });
});
