import { limits } from "../api/limits.ts";
import { pictureProblem } from "../api/releases/pictures.ts";
import type { Advice } from "./advice.ts";
import { type Attributes, attributesOf, markupOf, pathOf } from "./html.ts";

/*
 * Finds the picture of a game in its folder, for everything that publishes one. Only names of the folder's own files come
 * out of it, so a mistake of these regular expressions shows another picture of the game at worst.
 */

/** A folder that is published. */
export interface PicturedFolder {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** The text of one of them, at least its first {@link headBytes}; empty if there is no such file. */
  read(path: string): string | Promise<string>;
}

/** Bytes of a page that are read: its head has all that is looked for. */
export const headBytes = 256 * 1024;

const covers = ["cover.png", "cover.jpg", "cover.jpeg", "cover.webp"];

/**
 * Picture that the game itself names: the one that its page gives to social networks (Open Graph's `og:image`), then a file
 * named `cover`, then its largest icon, of the page or of its web application manifest.
 *
 * @returns a path that `createRelease` takes; undefined if there is none
 */
export async function pictureOf({ files, read }: PicturedFolder): Promise<string | undefined> {
  const isPicture = (path: string | undefined) => path !== undefined && pictureProblem(files, path) === undefined;
  const { metas, links } = tagsOf(await read("index.html"));
  const social = metas.filter(({ property, name }) =>
    /^(?:og|twitter):image(?::(?:secure_)?url)?$/i.test(property ?? name ?? ""),
  );
  const named = [...social.map(({ content }) => pathOf(content)), ...covers].find(isPicture);
  if (named !== undefined) return named;
  const manifest = pathOf(links.find(({ rel }) => rel?.toLowerCase() === "manifest")?.href);
  const ofManifest = manifest === undefined ? [] : iconsOf(await read(manifest), manifest);
  const icons = [...links.flatMap(iconOf), ...ofManifest].filter(({ path }) => isPicture(path));
  return icons.toSorted((a, b) => b.pixels - a.pixels)[0]?.path;
}

/** Files that are named as the picture, and are too large to be it. */
export function pictureAdvice(files: PicturedFolder["files"]): Advice[] {
  return files
    .filter(({ path, size }) => covers.includes(path) && size > limits.pictureBytes)
    .map(({ path }) => ({ code: "picture_too_large", places: [path] }));
}

/** Tags that are read of a kind. No game's page has more. */
const maxTags = 200;

function tagsOf(page: string) {
  const html = markupOf(page);
  const tags = (name: string) => [...html.matchAll(new RegExp(`<${name}\\b[^<>]{0,4000}>`, "gi"))].slice(0, maxTags);
  const all = (name: string): Attributes[] => tags(name).map(([tag]) => attributesOf(tag));
  return { metas: all("meta"), links: all("link") };
}

interface Icon {
  readonly path: string | undefined;
  /** Pixels of its longer side, as far as the page says. */
  readonly pixels: number;
}

function iconOf({ rel = "", href, sizes }: Attributes): Icon[] {
  const isTouchIcon = /^apple-touch-icon(?:-precomposed)?$/i.test(rel);
  if (!isTouchIcon && !/(?:^|\s)icon$/i.test(rel)) return [];
  const path = pathOf(href);
  // Apple's documented size; other icons without a size are usually those of a browser's tab.
  return [{ path, pixels: pixelsOf(sizes, path) ?? (isTouchIcon ? 180 : 32) }];
}

/** The icons of a web application manifest: https://www.w3.org/TR/appmanifest/#icons-member */
function iconsOf(text: string, manifest: string): Icon[] {
  try {
    const { icons } = JSON.parse(text) as { icons?: unknown };
    if (!Array.isArray(icons)) return [];
    return icons.slice(0, maxTags).flatMap((icon: { src?: unknown; sizes?: unknown; purpose?: unknown } | null) => {
      if (icon?.purpose === "monochrome" || typeof icon?.src !== "string") return [];
      const path = pathOf(icon.src, manifest);
      return [{ path, pixels: pixelsOf(typeof icon.sizes === "string" ? icon.sizes : undefined, path) ?? 32 }];
    });
  } catch {
    return [];
  }
}

/** The most pixels that `48x48 96x96` names, or 512 for a drawing, which has any size; undefined if neither says it. */
function pixelsOf(sizes: string | undefined, path = ""): number | undefined {
  if (sizes === undefined ? /\.svg$/i.test(path) : /\bany\b/i.test(sizes)) return 512;
  const numbers = sizes?.match(/\d{1,5}/g)?.map(Number) ?? [];
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}
