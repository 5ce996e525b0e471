import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { codeBlocks, documents, readDocument, root } from "../support/documents.ts";

const shellBlocks = (document: string) => codeBlocks(document).filter(({ language }) => language === "sh");
const toRun = (document: string) => shellBlocks(document).filter(({ notRun }) => notRun === undefined).length;
const tests = globSync(["test/**/*.test.ts", "lab/*/*.test.ts"], { cwd: root }).map((path) =>
  readFileSync(`${root}/${path}`, "utf8"),
);

test.each(documents.filter((document) => toRun(document) > 0))(
  "a test runs each shell block of %s that does not say why it is not run",
  (document) => {
    const calls = tests.flatMap((text) =>
      [...text.matchAll(/\bblocksToRun\(\s*(\w+|"[^"]+"), (\d+)/g)].map((call) => ({
        document: call[1]?.startsWith('"')
          ? call[1].slice(1, -1)
          : new RegExp(`const ${call[1]} = "([^"]+)"`).exec(text)?.[1],
        count: Number(call[2]),
      })),
    );
    expect(calls.filter((call) => call.document === document)).toEqual([{ document, count: toRun(document) }]);
  },
);

test("every shell block is in the language sh, and a reason stands above such a block", () => {
  for (const document of documents) {
    const shells = codeBlocks(document).filter(({ language }) =>
      /^(?:bash|shell|console|zsh|ba?sh .*)$/.test(language),
    );
    const commands = codeBlocks(document).filter(
      ({ language, text }) => language === "" && /^(?:\$ )?(?:npm|npx|svc|curl|aws) /m.test(text),
    );
    const reasons = readDocument(document).match(/^ *<!-- not run:/gm)?.length ?? 0;
    const reasonsOfBlocks = shellBlocks(document).filter(({ notRun }) => notRun !== undefined).length;
    expect({ document, shells, commands, reasons }).toEqual({
      document,
      shells: [],
      commands: [],
      reasons: reasonsOfBlocks,
    });
  }
});

test("each npm script that a document runs exists", () => {
  const { scripts } = JSON.parse(readDocument("package.json"));
  for (const document of documents)
    for (const [, name = ""] of readDocument(document).matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g))
      if (!(name in scripts)) expect([document, name]).toEqual([document, "a script of package.json"]);
});
