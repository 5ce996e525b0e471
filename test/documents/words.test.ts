import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { COMMANDS } from "../../cli/src/index.ts";
import { errors } from "../../contract/api/errors.ts";
import { routes } from "../../contract/api/routes.ts";
import { readDocument, root } from "../support/documents.ts";

/* One word for each act, in the dashboard, the command line and the API's documents: docs/architecture.md has the table. */

const section = /^## Acts and their words\n(.*?)^## /ms.exec(readDocument("docs/architecture.md"))?.[1] ?? "";
const acts = section
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => {
    const [act = "", commands = "", names = ""] = line.split("|").slice(1, -1);
    const listed = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    return { act: act.trim(), commands: listed(commands), names: listed(names) };
  });
const views = globSync("dashboard/src/views/**/*.tsx", { cwd: root }).map((path) =>
  readFileSync(join(root, path), "utf8"),
);

/** Whether a sentence has the act's words in their order: "Make an earlier release live" has Make live. */
function says(sentence: string, act: string): boolean {
  const words = act.toLowerCase().split(" ");
  return new RegExp(`\\b${words.join("\\b.*\\b")}\\b`, "i").test(sentence);
}

test("the table has acts, commands and routes", () => {
  expect(acts.map(({ act }) => act)).toContain("Make live");
  expect(acts.flatMap(({ commands }) => commands).length).toBeGreaterThan(4);
  expect(acts.flatMap(({ names }) => names).length).toBeGreaterThan(4);
});

describe.each(acts)("$act", ({ act, commands, names }) => {
  test("is what the dashboard says", () => {
    expect(views.some((view) => new RegExp(`[>"\\s]${act}[<"\\s]`).test(view))).toBe(true);
  });

  test("is in the summary of each of its commands and routes", () => {
    const summaries = [
      ...commands.map((name) => (COMMANDS as Record<string, { summary?: string }>)[name.replace(" ", ":")]?.summary),
      ...names.map((name) => (routes as Record<string, { summary?: string }>)[name]?.summary),
    ];
    expect(summaries.filter((summary = "") => !says(summary, act))).toEqual([]);
  });
});

test("what a refusal tells people to do with a release has the table's words", () => {
  const details = Object.entries(errors).flatMap(([code, { detail }]) => (/^release_/.test(code) ? [detail] : []));
  expect(details.length).toBeGreaterThan(2);
  expect(details.filter((detail) => /\b(?:unpublish\b|withdraw|roll back|rollback)/i.test(detail))).toEqual([]);
});

test("no summary has a word that the table replaces", () => {
  const all = [...Object.values(COMMANDS), ...Object.values(routes)].map(
    ({ summary = "" }: { summary?: string }) => summary,
  );
  expect(all.filter((summary) => /\b(?:unpublish|trusted publisher|withdraw)/i.test(summary))).toEqual([]);
});
