import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(`${root}/docs/security.md`, "utf8");

/** Every file that the page names and every test whose name stands in quotes behind it. */
const named = [...text.matchAll(/`([\w./-]+\.ts)`((?:,? "[^"|]+")*)/g)].map(([, file = "", names = ""]) => ({
  file,
  names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
}));

test("each promise in docs/security.md has a test, and the test is there", () => {
  const rows = text.split("\n").filter((line) => /^\| (?!-|what |promise )/.test(line) && line.includes("`"));
  expect(rows.length).toBeGreaterThan(20);
  const missing = named.flatMap(({ file, names }) => {
    if (!existsSync(`${root}/${file}`)) return [file];
    const source = readFileSync(`${root}/${file}`, "utf8");
    return names.filter((name) => !source.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
  expect(named.flatMap(({ names }) => names).length).toBeGreaterThan(30);
});

test("the page's links have targets", () => {
  const links = [...text.matchAll(/\]\(([^)#]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !link.includes(":"));
  expect(links.filter((link) => !existsSync(`${root}/docs/${link}`))).toEqual([]);
});
