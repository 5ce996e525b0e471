import { expect, test } from "@jest/globals";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { withPicture } from "./chosen-picture.ts";
import { undecidedAdvice, wordsFor } from "./offers.ts";

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

test("a chosen picture takes the place of the folder's own at its path", async () => {
  const file = (path: string) => ({
    path,
    size: 1,
    stream: () => new Blob().stream(),
    blob: async () => new Blob(["x"]),
  });
  const picture = { path: "cover.png", bytes: btoa("mine") } as const;
  const files = withPicture(["zoo.js", "cover.png", "index.html"].map(file), picture, new Map());
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ["cover.png", 4],
    ["index.html", 1],
    ["zoo.js", 1],
  ]);
  expect(await (await files[0]?.blob())?.text()).toBe("mine");
});

test("settings that nobody decided are named, by the names of their switches", () => {
  expect(undecidedAdvice([], [])).toEqual([]);
  expect(undecidedAdvice(["frame", "updates"], ["notes/"])).toEqual([
    expect.stringContaining(": Embedding; Load whole files; notes/ left out."),
  ]);
});
