import { readFile } from "node:fs/promises";
import { Marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";

/** The documents for people who publish games, by their names in docs/, in the order of the list beside each page. */
export const helpDocuments: Readonly<Record<string, string>> = {
  "publish-your-game": "Publish your game",
  cli: "The command line",
  "github-actions": "From GitHub",
  gitlab: "From GitLab",
  playing: "What a game can rely on",
  statistics: "How a game is played",
  profiles: "Profiles",
  crashes: "Crashes of a game",
};

/** The folder of these pages on the dashboard's host. */
export const helpFolder = "help";

const markdown = new Marked(gfmHeadingId(), {
  renderer: {
    // A table may be wider than a phone. It scrolls by the keyboard too.
    table(token) {
      const row = (cells: readonly { readonly tokens: (typeof token.header)[number]["tokens"] }[], tag: string) =>
        `<tr>${cells.map(({ tokens }) => cell(this.parser.parseInline(tokens), tag)).join("")}</tr>`;
      // A heading without text is none.
      const cell = (text: string, tag: string) => (text === "" ? "<td></td>" : `<${tag}>${text}</${tag}>`);
      const head = token.header.some(({ text }) => text !== "") ? `<thead>${row(token.header, "th")}</thead>` : "";
      const body = token.rows.map((cells) => row(cells, "td")).join("\n");
      return `<div class="wide" role="group" tabindex="0" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
    // The other documents are for people who run or change the service: their names stay, without a link.
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const [, name, anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
      if (name !== undefined && name in helpDocuments)
        return `<a href="/${helpFolder}/${name}.html${anchor}">${text}</a>`;
      return /^(?:https?:|#)/.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
    // Comments are for the tests that run the shell blocks.
    html: ({ text }) => (text.startsWith("<!--") ? "" : text),
  },
});

/**
 * The pages of help: the same texts as docs/, so that nothing is told twice.
 *
 * @param template the page with `{title}`, `{list}` and `{content}`
 * @returns the contents by file name; `workflows.json` has the YAML of the pages that show some, from which the dashboard makes a file for a
 * publisher: its policy lets no script parse HTML
 */
export async function helpPages(template: string): Promise<Map<string, string>> {
  const names = Object.keys(helpDocuments);
  const pages = names.map(async (name) => {
    const text = await readFile(new URL(`../docs/${name}.md`, import.meta.url), "utf8");
    const links = names.map((other) => {
      const current = other === name ? ' aria-current="page"' : "";
      return `<li><a href="/${helpFolder}/${other}.html"${current}>${helpDocuments[other]}</a></li>`;
    });
    // A keyboard scrolls a block of code.
    const content = (await markdown.parse(text)).replaceAll("<pre>", '<pre tabindex="0">');
    const parts = { title: helpDocuments[name], list: links.join("\n"), content };
    const page = template.replaceAll(/\{(title|list|content)\}/g, (_, part: keyof typeof parts) => parts[part] ?? "");
    const yaml = markdown
      .lexer(text)
      .flatMap((token) => (token.type === "code" && token["lang"] === "yaml" ? [`${token["text"]}\n`] : []));
    return { name, page, yaml };
  });
  const made = await Promise.all(pages);
  const workflows = made.filter(({ yaml }) => yaml.length > 0).map(({ name, yaml }) => [name, yaml] as const);
  return new Map([
    ...made.map(({ name, page }) => [`${name}.html`, page] as const),
    ["workflows.json", JSON.stringify(Object.fromEntries(workflows))],
  ]);
}
