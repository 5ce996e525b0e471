import { embedAdvice, embedCode } from "../../contract/api/projects/embed-code.ts";
import { publicPagePath } from "../../contract/api/projects/public-page.ts";
import type { Frame, ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { minHeroPixels } from "../../contract/folder/picture.ts";
import { isolationHeaders } from "../../edge/content/headers.ts";
import type { PageLink } from "../../edge/origin-request.ts";
import { escaped } from "../../edge/pages/pages.ts";
import type { PublicPage } from "../domain/projects/published-facts.ts";
import { cardTags } from "./card.ts";
import { inlineSource, pageHeaders } from "./page-policy.ts";

/*
 * The public page of a game as HTML (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-public-page-is-made-by-the-function-at-the-origin). All that its developer wrote is text: it is
 * escaped, there is no script, and the policy allows this style and images of the game's own origin alone.
 */

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, "Segoe UI", Roboto, sans-serif;
  --paper: light-dark(#f6f5f2, #131218); --card: light-dark(#fff, #1c1b23); --sunk: light-dark(#f0eee9, #15141b);
  --line: light-dark(#e4e2dc, #302e3a); --ink: light-dark(#1b1a22, #f2f0f7); --soft: light-dark(#5f5c68, #aaa6b7);
  --accent: light-dark(#5538cf, #a899ff); --accent-ink: light-dark(#fff, #16132b); background: var(--paper); color: var(--ink); }
body { margin: 0; overflow-wrap: anywhere; }
main, footer { max-width: 52rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 1.5rem); }
main { padding-top: clamp(1rem, 4vw, 2rem); }
p { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.2em; }
.hero { display: grid; place-items: center; overflow: hidden; border-radius: 1rem; background: var(--sunk); text-decoration: none; }
.hero > * { grid-area: 1 / 1; }
img { display: block; width: 100%; height: auto; max-height: 75vh; object-fit: contain; }
img.icon { width: auto; max-width: 100%; margin: 3rem 0 7rem; }
.play { display: inline-block; padding: 0.75rem 2.25rem; border: 1px solid transparent; border-radius: 99px; font-size: 1.125rem; font-weight: 650;
  background: var(--accent); color: var(--accent-ink); text-decoration: none; }
.hero .play { place-self: end center; margin: clamp(0.75rem, 3vw, 1.25rem); padding: clamp(0.5rem, 2vw, 0.75rem) clamp(1.5rem, 6vw, 2.25rem);
  border: 2px solid var(--accent-ink); box-shadow: 0 4px 24px #0006; }
header > .play { margin-top: 1rem; }
.hero:hover .play, a.play:hover { filter: brightness(1.1); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
h1 { font-size: clamp(1.625rem, 5vw, 2.25rem); line-height: 1.15; letter-spacing: -0.015em; text-wrap: balance; margin: 1.25rem 0 0.25rem; }
h2 { font-size: 1.125rem; line-height: 1.2; margin: 0 0 0.75rem; }
.text { white-space: pre-line; }
.about { display: grid; gap: 0.75rem; max-width: 65ch; margin: 1rem 0 1.5rem; }
section > p + p { margin-top: 0.75rem; }
section { margin: 1rem 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.875rem; }
ol { display: grid; gap: 1rem; list-style: none; margin: 0; padding: 0; }
time, .hint, footer { color: var(--soft); font-size: 0.875rem; }
.hint { margin-top: 0.75rem; }
.by { color: var(--soft); }
.by b { color: var(--ink); }
.by time { font-size: inherit; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(max(7.5rem, 30%), 1fr)); gap: 0.75rem; margin: 1rem 0; padding: 0; list-style: none; }
.gallery a { display: block; aspect-ratio: 16 / 10; border-radius: 0.75rem; overflow: hidden; background: var(--sunk); }
.gallery img { height: 100%; }
.waiting .gallery img { display: none; }
#stage iframe { display: block; width: 100%; aspect-ratio: 16 / 9; max-height: 85vh; border: 1px solid transparent; border-radius: 1rem;
  background: #fff; color-scheme: light; }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem; justify-content: end; margin-top: 0.5rem; }
button { min-height: 2.75rem; padding: 0 1rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); color: var(--ink);
  font: inherit; font-weight: 600; cursor: pointer; }
[hidden] { display: none; }
@media (min-width: 60rem) { body.playing main { max-width: 80rem; } }
summary { cursor: pointer; font-weight: 650; }
summary + * { margin-top: 0.75rem; }
ol + details { margin-top: 1rem; }
code { display: block; padding: 0.75rem; border-radius: 0.625rem; background: var(--sunk); user-select: all;
  font: 0.875rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
dl { margin: 0; } dt { color: var(--soft); font-size: 0.875rem; } dd { margin: 0 0 0.5rem; }
footer { display: grid; gap: 0.5rem; padding-block: 1rem 2rem; }
`;

/**
 * Opens the game in a frame on the page, with the keyboard; on a phone the link opens it in a tab of its own, as it does without this script.
 * Stands before the gallery, whose pictures wait until the hero has come: they are lazy, and no browser loads a lazy image that has no box. Their
 * priority alone does not do that, because each has a connection or stream of its own. It names nothing that a developer wrote.
 */
const script = `
const hero = document.querySelector(".hero img"), { classList } = document.body;
if (hero && !hero.complete) {
  classList.add("waiting");
  for (const end of ["load", "error"]) hero.addEventListener(end, () => classList.remove("waiting"));
}
const play = document.querySelector("[data-play]"), stage = document.querySelector("#stage");
const [full, close] = stage.querySelectorAll("button");
play.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || matchMedia("(pointer: coarse), (max-width: 44rem)").matches) return;
  event.preventDefault();
  const frame = Object.assign(document.createElement("iframe"), { src: play.href, title: document.title, allowFullscreen: true });
  frame.addEventListener("load", () => frame.focus());
  stage.prepend(frame);
  show(true);
  stage.scrollIntoView({ block: "nearest" });
  frame.focus();
});
full.hidden = !document.fullscreenEnabled;
full.addEventListener("click", () => { const frame = stage.firstElementChild; frame.requestFullscreen().then(() => frame.focus(), () => {}); });
close.addEventListener("click", () => { stage.firstElementChild.remove(); show(false); play.focus(); });
function show(isPlaying) { stage.hidden = !isPlaying; play.hidden = isPlaying; classList.toggle("playing", isPlaying); }
`;

/**
 * Headers of the page, which say what it may load, and that no other site may show it in a frame. It is isolated as the game is: else the game in its
 * frame would not be.
 */
export function publicPageHeaders({ settings }: Pick<PageContext, "settings">): Readonly<Record<string, string>> {
  const sources = [`script-src ${inlineSource(script)}`, `style-src ${inlineSource(style)}`];
  return { ...isolationHeaders(settings), ...pageHeaders([...sources, "img-src 'self' data:", "frame-src 'self'"]) };
}

interface PageContext {
  /** Links to other pages of the game's origin. */
  readonly links: readonly PageLink[];
  /** Settings of the live release. */
  readonly settings: ReleaseSettings;
  /** URL for reporting the game; undefined if the operator has set none. */
  readonly reportUrl: string | undefined;
}

export function publicPageHtml(page: PublicPage, { settings, reportUrl, links }: PageContext): string {
  const ownLinks = links.filter(({ option }) => !page.switchedOff.includes(option));
  const { name, author, playUrl, updatedAt } = page;
  const by = author === undefined ? "Updated" : `By <b><bdi>${escaped(author)}</bdi></b> · updated`;
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
${cardTags(page, new URL(publicPagePath, playUrl).href)}
<style>${style}</style>
</head>
<body>
<main>
<header>
${hero(page)}${stage}<h1 dir="auto">${escaped(name)}</h1>
<p class="by">${by} on <time datetime="${escaped(updatedAt)}">${day(updatedAt)}</time></p>
${page.picture === undefined ? `${playLink("play", "Play")}` : ""}${about(page)}</header>
<script>${script}</script>
${gallery(page)}${howToPlay(page)}${news(page)}${embed(name, playUrl, settings)}${provenance(page)}</main>
<footer>
<p>The person who published this game is responsible for it.</p>${report}${ownLinks.map(({ path, text }) => `\n<p><a href="${escaped(path)}">${escaped(text)}</a></p>`).join("")}
</footer>
</body>
</html>
`;
}

/** The game's picture in its own ratio, which leads to the game; nothing moves when it comes. One that is less wide is an icon, and no larger than it is. */
function hero({ picture }: PublicPage): string {
  if (picture === undefined) return "";
  const { url, size } = picture;
  const look = size === undefined ? "" : ` width="${size.width}" height="${size.height}"`;
  const kind = size !== undefined && size.width < minHeroPixels ? ` class="icon"` : "";
  const image = `<img src="${escaped(new URL(url).pathname)}"${look}${kind} alt="" fetchpriority="high">`;
  return playLink("hero", `${image}<span class="play">Play</span>`);
}

/** Where the game plays if the page has a script: its link stands for it until then. */
const stage = `<div id="stage" hidden><div class="bar"><button>Full screen</button><button>Close the game</button></div></div>\n`;

function playLink(look: "hero" | "play", html: string): string {
  return `<a class="${look}" href="/" target="_blank" rel="noopener" data-play>${html}</a>\n`;
}

/** Files of the live release, each of which leads to itself. */
function gallery({ gallery }: PublicPage): string {
  if (gallery.length === 0) return "";
  const items = gallery.map(
    (path, index) =>
      `<li><a href="${escaped(path)}"><img src="${escaped(path)}" alt="Picture ${index + 1}" loading="lazy" decoding="async" fetchpriority="low"></a></li>`,
  );
  return `<ul class="gallery" aria-label="Pictures">\n${items.join("\n")}\n</ul>\n`;
}

function howToPlay({ howToPlay }: PublicPage): string {
  const text = paragraphs(howToPlay);
  return text === "" ? "" : `<section aria-labelledby="how">\n<h2 id="how">How to play</h2>\n${text}\n</section>\n`;
}

/** What the owner says of the game, in paragraphs. */
function about({ description }: PublicPage): string {
  const text = paragraphs(description);
  return text === "" ? "" : `<div class="about">\n${text}\n</div>\n`;
}

/** What a developer wrote, in paragraphs; empty if it is nothing. */
function paragraphs(text: string | null): string {
  const all = (text ?? "").split(/\n[ \t]*\n/).filter((each) => each.trim() !== "");
  return all.map((each) => `<p class="text" dir="auto">${linked(each.trim())}</p>`).join("\n");
}

/** A text of a developer, in which what reads as an https URL is a link that no search engine counts. */
function linked(text: string): string {
  // Split by a group, every second part is what the group has matched.
  return text
    .split(/(https:\/\/[^\s<>"']+)/)
    .map((part, index) => (index % 2 === 1 ? link(part) : escaped(part)))
    .join("");
}

function link(found: string): string {
  let end = found.length;
  // Punctuation behind a URL belongs to the sentence.
  while (end > 0 && ".,;:!?)]".includes(found.charAt(end - 1))) end -= 1;
  const url = found.slice(0, end);
  if (!URL.canParse(url)) return escaped(found);
  return `<a href="${escaped(url)}" rel="nofollow ugc noopener">${escaped(url)}</a>${escaped(found.slice(end))}`;
}

/** Messages that are shown at once; the others are one click further. */
const newsAtOnce = 3;

function news({ news }: PublicPage): string {
  if (news.length === 0) return "";
  const items = news.map(
    ({ message, at, number }) =>
      `<li><b>#${number}</b> <time datetime="${escaped(at)}">${day(at)}</time>\n<p class="text" dir="auto">${linked(message)}</p></li>`,
  );
  const list = (some: readonly string[]) => `<ol>\n${some.join("\n")}\n</ol>\n`;
  const earlier = items.slice(newsAtOnce);
  const more =
    earlier.length === 0 ? "" : `<details>\n<summary>Earlier updates</summary>\n${list(earlier)}</details>\n`;
  return `<section aria-labelledby="new">\n<h2 id="new">What is new</h2>\n${list(items.slice(0, newsAtOnce))}${more}</section>\n`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function day(at: string): string {
  return dayFormat.format(new Date(at));
}

function embed(name: string, playUrl: string, { frame, isolation }: PageContext["settings"]): string {
  if (frame === "nobody") return "";
  const advice = embedAdvice(isolation);
  const threads = advice === undefined ? "" : `\n<p class="hint">${escaped(advice)}</p>`;
  return `<section>\n<details>\n<summary>Show it on a page of yours</summary>\n<code dir="ltr">${escaped(embedCode(playUrl, name))}</code>${threads}${whoMay(frame)}\n</details>\n</section>\n`;
}

function whoMay(frame: Frame): string {
  if (typeof frame === "string") return "";
  return `\n<p class="hint">Only these sites may: ${frame.map((origin) => escaped(origin)).join(", ")}.</p>`;
}

function provenance({ provenance }: PublicPage): string {
  if (provenance === undefined) return "";
  const { repositoryUrl, commit, runUrl } = provenance;
  const linkTo = (url: string) => `<a href="${escaped(url)}" rel="nofollow noopener">${escaped(url)}</a>`;
  return `<section aria-labelledby="from">
<h2 id="from">Where it comes from</h2>
<dl>
<dt>Repository</dt><dd>${linkTo(repositoryUrl)}</dd>
<dt>Commit</dt><dd>${escaped(commit)}</dd>
<dt>Built by</dt><dd>${linkTo(runUrl)}</dd>
</dl>
</section>
`;
}
