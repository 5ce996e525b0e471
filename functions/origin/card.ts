import { minHeroPixels } from "../../contract/folder/picture.ts";
import { escaped } from "../../edge/pages/pages.ts";
import type { PublicPage } from "../domain/projects/published-facts.ts";
import { pageHeaders } from "./page-policy.ts";

/*
 * What other sites show of a game (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-own-url-has-a-card). All that its developer wrote is
 * escaped.
 */

type CardFacts = Pick<PublicPage, "name" | "description" | "playUrl" | "picture">;

/** Characters of a description that a card shows at most. */
const maxCharacters = 200;

/**
 * The elements of a page's head that make cards of it: the Open Graph protocol (https://ogp.me), what X adds, and the canonical URL. A picture whose
 * size nobody can tell is a drawing or no image: no site shows it.
 *
 * @param url the page's own: agents read again what it names, and show that
 */
export function cardTags({ name, description, playUrl, picture }: CardFacts, url: string): string {
  const text = shortened(description ?? "");
  const { size } = picture ?? {};
  const isLarge = size !== undefined && Math.max(size.width, size.height) >= minHeroPixels;
  const properties: readonly (readonly [string, string, string | number | undefined])[] = [
    ["property", "og:type", "website"],
    ["property", "og:site_name", new URL(playUrl).hostname.replace(/^[^.]*\./, "")],
    ["property", "og:title", name],
    ["property", "og:url", url],
    ["property", "og:description", text || undefined],
    ...(size === undefined
      ? []
      : ([
          ["property", "og:image", picture?.url],
          ["property", "og:image:width", size.width],
          ["property", "og:image:height", size.height],
          ["property", "og:image:alt", name],
        ] as const)),
    ["name", "twitter:card", isLarge ? "summary_large_image" : "summary"],
    ["name", "description", text || undefined],
  ];
  const tags = properties.flatMap(([kind, key, value]) =>
    value === undefined ? [] : [`<meta ${kind}="${key}" content="${escaped(String(value))}">`],
  );
  return [...tags, `<link rel="canonical" href="${escaped(url)}">`].join("\n");
}

/** The page that agents get for a game's first page, if that has no card. */
export function cardHtml(facts: CardFacts): string {
  const { name, description, playUrl } = facts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}</title>
${cardTags(facts, playUrl)}
</head>
<body>
<h1>${escaped(name)}</h1>
<p>${escaped(shortened(description ?? ""))}</p>
<p><a href="${escaped(playUrl)}">Play</a></p>
</body>
</html>
`;
}

/** It loads nothing. */
export const cardHeaders = pageHeaders([]);

function shortened(text: string): string {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  return characters.length > maxCharacters
    ? `${characters.slice(0, maxCharacters - 1).join("")}…`
    : characters.join("");
}
