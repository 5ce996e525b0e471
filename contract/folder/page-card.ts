import { tagsOf } from "./html.ts";

/**
 * Whether a page says itself what cards of other sites show of it: a title, or an image by its whole URL, of the Open Graph protocol (https://ogp.me) or
 * of X's cards. An image by a path alone is no card: few agents resolve it, and the card of the service shows the same image. What the text of scripts
 * and comments says does not count.
 *
 * @param page its first `headBytes` (picture.ts), in which every agent looks
 */
export function hasCard(page: string): boolean {
  return tagsOf(page, "meta").some(({ property, name, content = "" }) => {
    const [, of] = /^(?:og|twitter):(title|image)(?::(?:secure_)?url)?$/i.exec(property ?? name ?? "") ?? [];
    return of !== undefined && (of.toLowerCase() === "title" || /^https?:/i.test(content.trim()));
  });
}
