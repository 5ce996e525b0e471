/*
 * Parts of a page that are read without a parser: only hints and warnings follow from it, because regular expressions over HTML
 * can be wrong.
 */

/** A page without its comments and the text of its scripts, which go to the page's end if they have none, as in a browser. */
export function markupOf(page: string): string {
  return page.replace(/<!--.*?(?:-->|$)/gs, "").replace(/(<script\b[^<>]*>).*?(?:<\/script>|$)/gis, "$1");
}

/** Tags that are read of a kind. No game's page has more. */
const maxTags = 200;

/** The attributes of a page's tags of this name. */
export function tagsOf(page: string, name: "link" | "meta"): Attributes[] {
  const tags = [...markupOf(page).matchAll(new RegExp(`<${name}\\b[^<>]{0,4000}>`, "gi"))];
  return tags.slice(0, maxTags).map(([tag]) => attributesOf(tag));
}

/** Those of meta and link elements that anything here reads. */
export type Attributes = { readonly [Name in "content" | "href" | "name" | "property" | "rel" | "sizes"]?: string };

/** The attributes of a tag, by their names in lower case. */
function attributesOf(tag: string): Attributes {
  const matches = tag.matchAll(/\s([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g);
  return Object.fromEntries(
    [...matches].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      (double ?? single ?? bare ?? "").replaceAll("&amp;", "&"),
    ]),
  );
}

/**
 * The path in the release that a URL means, whichever host it names: a page is often written for the host that it was first published
 * on. Undefined for what is no URL of a file.
 *
 * @param from the path of the file that the URL is in
 */
export function pathOf(url: string | undefined, from = ""): string | undefined {
  if (url === undefined || url.trim() === "") return undefined;
  try {
    const { protocol, pathname } = new URL(url, `https://game.invalid/${from}`);
    if (!/^https?:$/.test(protocol)) return undefined;
    return decodeURIComponent(pathname).slice(1).normalize("NFC");
  } catch {
    return undefined;
  }
}
