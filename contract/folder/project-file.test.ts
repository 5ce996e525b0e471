import { expect, test } from "@jest/globals";
import { limits } from "../api/limits.ts";
import { ProjectFileProblem, parseProjectFile } from "./project-file.ts";

/** The problem of a text. */
function problemOf(text: string): ProjectFileProblem {
  try {
    parseProjectFile(text);
  } catch (problem) {
    if (problem instanceof ProjectFileProblem) return problem;
    throw problem;
  }
  throw new Error("Nothing is wrong with it");
}

const list = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => `a${index}`));

test("a svc.toml is read with all its keys, and those that it has not are absent", () => {
  const text = `project = "bounce"
    dir = "dist"
    ignore = ["*.map", "!a.map"]
    isolation = "credentialless"
    immutable = ["assets/**"]
    spa = false
    embedding = ["https://portal.example"]
    preload = ["index.wasm"]
    updates = "whole"
    raw = ["a.gz"]
    uncompressed = ["*.sqlite3"]`;
  expect(parseProjectFile(text)).toStrictEqual({
    project: "bounce",
    dir: "dist",
    ignore: ["*.map", "!a.map"],
    isolation: "credentialless",
    immutable: ["assets/**"],
    spa: false,
    frame: ["https://portal.example"],
    preload: ["index.wasm"],
    updates: "whole",
    raw: ["a.gz"],
    uncompressed: ["*.sqlite3"],
  });
  expect(parseProjectFile("# nothing")).toStrictEqual({});
  expect(parseProjectFile(`isolation = true\nimmutable = ${list(limits.immutablePatterns)}`)).toMatchObject({
    isolation: true,
  });
});

test.each([
  ["a backslash in dir", 'dir = "build\\web"', 'Write "/" between folders, also on Windows: dir = "build/web".'],
])("%s in svc.toml gets the sentence that helps", (_, text, sentence) => {
  expect(problemOf(text).message).toContain(sentence);
});

test.each([
  ["project = 1", "must have a string as project."],
  ["dir = 1", "must have a string as dir."],
  ['ignore = "x"', "must have a list of strings as ignore."],
  ['ignore = ["x", 1]', "must have a list of strings as ignore."],
  ["isolation = 1", 'must have true, false or "credentialless" as isolation.'],
  ['isolation = "none"', 'must have true, false or "credentialless" as isolation.'],
  ['spa = "yes"', "must have true or false as spa."],
  ['immutable = "a"', "must have a list of strings as immutable."],
  ["immutable = [1]", "must have a list of strings as immutable."],
  [
    'immutable = ["a", "/a"]',
    "has a pattern in immutable that must be relative and have no empty, . or .. segment: /a",
  ],
  ['frame = "nobody"\nembedding = "nobody"', "has both embedding and frame, which are one setting."],
  ["embedding = true", 'must have "everybody", "nobody" or a list of origins as embedding.'],
  ["frame = true", 'must have "everybody", "nobody" or a list of origins as embedding.'],
  ['frame = "some"', 'must have "everybody", "nobody" or a list of origins as embedding.'],
  ['frame = ["https://a.example", 1]', 'must have "everybody", "nobody" or a list of origins as embedding.'],
  [
    'frame = ["https://a.example", "b.example"]',
    "has an origin in embedding that must be an origin such as https://portal.example or https://*.portal.example, in lower case and without a path: b.example",
  ],
  [
    `frame = ${JSON.stringify(Array.from({ length: 21 }, (_, index) => `https://a${index}.example`))}`,
    "must have at most 20 origins as embedding.",
  ],
  ['updates = "delta"', 'must have "content" or "whole" as updates.'],
  ['preload = "a"', "must have a list of strings as preload."],
  ['preload = ["/a"]', "has a path in preload that must be relative: /a"],
  [
    `preload = ["${"a".repeat(101)}"]`,
    `has a path in preload that must have at most 100 characters: ${"a".repeat(101)}`,
  ],
  ['preload = ["a", "b", "c", "d"]', "must have at most 3 paths as preload."],
  ['uncompressed = "a"', "must have a list of strings as uncompressed."],
  ['raw = "a"', "must have a list of strings as raw."],
  ['raw = ["/a"]', "has a pattern in raw that must be relative and have no empty, . or .. segment: /a"],
  [`immutable = ${list(11)}`, "must have at most 10 patterns as immutable."],
  ['projct = "x"', "has the unknown key projct."],
])("%s is refused, because svc.toml %s", (text, message) => {
  expect(problemOf(text)).toMatchObject({ message, code: "invalid_project_file" });
});

test("an unknown key can be compared with those that there are", () => {
  expect(problemOf('projct = "x"').unknownKey).toBe("projct");
  expect(problemOf("project = 1").unknownKey).toBeUndefined();
});

test.each([
  ["project = ", 1, 11],
  ['project = "game"\ndir = dist\n', 2, 7],
  ['ignore = [\n  "*.map",\n  "a" "b"\n]\n', 3, 7],
])("what is no TOML is refused with the place and the first line of the parser's reason", (text, line, column) => {
  expect(problemOf(text)).toMatchObject({
    message: expect.stringMatching(
      new RegExp(`^is not valid TOML in line ${line}, column ${column}: (?!Invalid).{10,}\\.$`),
    ),
    code: "invalid_project_file",
  });
});

test.each([
  'token = "x"',
  'CI_SECRET = "x"',
  'password = "x"',
  `project = "x" # pat_${"a".repeat(60)}`,
  `# pat_${"0Zz9".repeat(3)}`,
])("%s is a token, which svc.toml must not have", (text) => {
  const { message, code } = problemOf(text);
  expect({ code, next: /save \w+ with svc login/i.test(message) }).toEqual({
    code: "token_in_project_file",
    next: true,
  });
});

test("a project's name may begin as a token does", () => {
  expect(parseProjectFile('project = "pat_builder"')).toEqual({ project: "pat_builder" });
});

test.each(["api", "API_URL", "url", "host", "server", "endpoint"])("svc.toml must not choose the API by %s", (key) => {
  expect(problemOf(`${key} = "https://evil.example"`)).toMatchObject({
    message: `must not choose the API (${key}). Use --api or SVC_API.`,
    code: "api_in_project_file",
  });
  expect(problemOf(`my_${key} = 1`).code).toBe("invalid_project_file");
});
