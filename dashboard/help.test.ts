import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "@jest/globals";
import { helpDocuments, helpPages } from "./help.ts";

let pages: Map<string, string>;
beforeAll(async () => {
  pages = await helpPages(await readFile(new URL("help.html", import.meta.url), "utf8"));
});

const names = ["publish-your-game", "cli", "github-actions", "gitlab", "playing", "statistics", "profiles", "crashes"];

test("each document for people who publish games is a page", () => {
  expect([...pages.keys()].toSorted()).toEqual([...names.map((name) => `${name}.html`), "workflows.json"].toSorted());
});

test.each(["github-actions", "gitlab"])("the YAML of the page %s is there for the dashboard too", async (name) => {
  const workflows = JSON.parse(pages.get("workflows.json") ?? "");
  const text = await readFile(new URL(`../docs/${name}.md`, import.meta.url), "utf8");
  expect(Object.keys(workflows)).toEqual(["github-actions", "gitlab"]);
  expect(workflows[name]).toEqual([...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml]) => yaml));
});

test.each(names)("each link of the page %s leads to a page of help with that heading, or to another host", (name) => {
  const page = pages.get(`${name}.html`) ?? "";
  const links = [...page.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) => href);
  expect(links.length).toBeGreaterThan(names.length);
  const broken = links.filter((href) => {
    if (/^https?:/.test(href) || href === "/" || href === "#main") return false;
    const [, file = `${name}.html`, anchor] = /^(?:\/help\/([\w-]+\.html))?(?:#(.+))?$/.exec(href) ?? [];
    const target = pages.get(file);
    return target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`));
  });
  expect(broken).toEqual([]);
});

test.each(names)(
  "the page %s has its title, marks itself in the list, and has no script but its own, and no comment",
  (name) => {
    const page = pages.get(`${name}.html`) ?? "";
    expect(page).toContain(`<title>${helpDocuments[name]} · svc</title>`);
    expect(page).toContain(`<a href="/help/${name}.html" aria-current="page">`);
    expect(page.match(/aria-current/g)).toHaveLength(1);
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('<script type="module" src="/{script}"></script>');
    expect(page).not.toMatch(/<!--|\{(?:title|list|content)\}|style="/);
  },
);
