import { embedAdvice, embedCode } from "../../contract/api/projects/embed-code.ts";
import { publicPagePath } from "../../contract/api/projects/public-page.ts";
import type { Frame, ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { escaped } from "../../edge/pages/pages.ts";
import type { PublicPage } from "../domain/projects/published-facts.ts";
import { inlineSource, pageHeaders } from "./page-policy.ts";

/*
 * The public page of a game as HTML (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-public-page-is-made-by-the-function-at-the-origin). All that its developer wrote is text: it is
 * escaped, there is no script, and the policy allows this style and images of the game's own origin alone.
 */

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif;
  --paper: light-dark(#f6f5f2, #14151b); --card: light-dark(#fff, #1c1e27); --line: light-dark(#e2dfd8, #2e313e);
  --ink: light-dark(#1d1c22, #f1f0f4); --soft: light-dark(#5d5a63, #a9abba); --accent: light-dark(#4a3fd1, #b3aeff);
  --accent-ink: light-dark(#fff, #16142b); background: var(--paper); color: var(--ink); }
body { margin: 0; overflow-wrap: anywhere; }
main, footer { max-width: 44rem; margin: 0 auto; padding: 0 1rem; }
header { padding: 2rem 0 1rem; }
img { display: block; width: 100%; max-height: 24rem; object-fit: contain; border-radius: 1rem; background: var(--card);
  border: 1px solid var(--line); box-sizing: border-box; }
h1 { font-size: 2rem; line-height: 1.2; margin: 1.5rem 0 0.5rem; }
h2 { font-size: 1.125rem; margin: 0 0 0.75rem; }
.text { white-space: pre-line; margin: 0; }
a { color: var(--accent); }
.play { display: inline-block; margin-top: 1.5rem; padding: 0.625rem 2rem; border-radius: 0.625rem; font-weight: 600;
  background: var(--accent); color: var(--accent-ink); text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
section { margin: 1.25rem 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
ol { list-style: none; margin: 0; padding: 0; }
li + li { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
time, .hint, footer { color: var(--soft); font-size: 0.875rem; }
.hint { margin: 0.75rem 0 0; }
code { display: block; padding: 0.75rem; border-radius: 0.625rem; background: var(--paper); user-select: all;
  font: 0.875rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
dl { margin: 0; } dt { color: var(--soft); font-size: 0.875rem; } dd { margin: 0 0 0.5rem; }
footer { padding-bottom: 2rem; }
`;

/** Headers of the page, which say what it may load, and that no other site may show it in a frame. */
export const publicPageHeaders = pageHeaders(["img-src 'self' data:", `style-src ${inlineSource(style)}`]);

interface PageContext {
  /** Settings of the live release. */
  readonly settings: Pick<ReleaseSettings, "frame" | "isolation">;
  /** URL for reporting the game; undefined if the operator has set none. */
  readonly reportUrl: string | undefined;
}

export function publicPageHtml(page: PublicPage, { settings, reportUrl }: PageContext): string {
  const { name, description, playUrl, pictureUrl } = page;
  const picture = pictureUrl === null ? "" : `<img src="${escaped(new URL(pictureUrl).pathname)}" alt="">\n`;
  const about =
    description === null || description === "" ? "" : `\n<p class="text" dir="auto">${escaped(description)}</p>`;
  const report =
    reportUrl === undefined
      ? ""
      : `\n<p><a href="${escaped(reportUrl)}">Report this game</a>: does it harm or deceive people, or break the law?</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${escaped(name)}</title>
${cards(page)}
<style>${style}</style>
</head>
<body>
<main>
<header>
${picture}<h1 dir="auto">${escaped(name)}</h1>${about}
<a class="play" href="/">Play</a>
</header>
${news(page)}${embed(name, playUrl, settings)}${provenance(page)}</main>
<footer>
<p>The person who published this game is responsible for it.</p>${report}
</footer>
</body>
</html>
`;
}

/** Characters of a description that a card shows at most. */
const cardCharacters = 200;

/** The Open Graph protocol (https://ogp.me), and the cards that X makes of it. */
function cards({ name, description, playUrl, pictureUrl }: PublicPage): string {
  const short = [...(description ?? "").replace(/\s+/g, " ").trim()];
  const text = short.length > cardCharacters ? `${short.slice(0, cardCharacters - 1).join("")}…` : short.join("");
  const properties: readonly (readonly [string, string, string | null])[] = [
    ["property", "og:type", "website"],
    ["property", "og:title", name],
    ["property", "og:url", new URL(publicPagePath, playUrl).href],
    ["property", "og:description", text || null],
    ["property", "og:image", pictureUrl],
    ["name", "twitter:card", pictureUrl === null ? "summary" : "summary_large_image"],
    ["name", "description", text || null],
  ];
  return properties
    .flatMap(([kind, key, value]) => (value === null ? [] : [`<meta ${kind}="${key}" content="${escaped(value)}">`]))
    .join("\n");
}

function news({ news }: PublicPage): string {
  if (news.length === 0) return "";
  const items = news.map(
    ({ message, at, number }) =>
      `<li><b>#${number}</b> <time datetime="${escaped(at)}">${day(at)}</time>\n<p class="text" dir="auto">${escaped(message)}</p></li>`,
  );
  return `<section aria-labelledby="new">\n<h2 id="new">What is new</h2>\n<ol>\n${items.join("\n")}\n</ol>\n</section>\n`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function day(at: string): string {
  return dayFormat.format(new Date(at));
}

function embed(name: string, playUrl: string, { frame, isolation }: PageContext["settings"]): string {
  if (frame === "nobody") return "";
  const advice = embedAdvice(isolation);
  const threads = advice === undefined ? "" : `\n<p class="hint">${escaped(advice)}</p>`;
  return `<section aria-labelledby="embed">\n<h2 id="embed">Show it on a page of yours</h2>\n<code dir="ltr">${escaped(embedCode(playUrl, name))}</code>${threads}${whoMay(frame)}\n</section>\n`;
}

function whoMay(frame: Frame): string {
  if (typeof frame === "string") return "";
  return `\n<p class="hint">Only these sites may: ${frame.map((origin) => escaped(origin)).join(", ")}.</p>`;
}

function provenance({ provenance }: PublicPage): string {
  if (provenance === undefined) return "";
  const { repositoryUrl, commit, runUrl } = provenance;
  const link = (url: string, text: string) => `<a href="${escaped(url)}" rel="nofollow noopener">${escaped(text)}</a>`;
  return `<section aria-labelledby="from">
<h2 id="from">Where it comes from</h2>
<dl>
<dt>Repository</dt><dd>${link(repositoryUrl, repositoryUrl)}</dd>
<dt>Commit</dt><dd>${escaped(commit)}</dd>
<dt>Built by</dt><dd>${link(runUrl, runUrl)}</dd>
</dl>
</section>
`;
}
