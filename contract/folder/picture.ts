import { limits } from "../api/limits.ts";
import { imageProblem, pictureProblem } from "../api/releases/pictures.ts";
import type { Advice } from "./advice.ts";
import { type Attributes, pathOf, tagsOf } from "./html.ts";
import { imageSizeOf } from "./image-size.ts";

/*
 * Finds the picture of a game in its folder, for everything that publishes one. Only names of the folder's own files come
 * out of it, so a mistake of these regular expressions shows another picture of the game at worst.
 */

/** A folder that is published. */
export interface PicturedFolder {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** The text of one of them, at least its first {@link headBytes}; empty if there is no such file. */
  read(path: string): string | Promise<string>;
  /** The beginning of one of them, at least its first `imageHeadBytes` (image-size.ts). */
  readImage(path: string): Promise<Uint8Array>;
}

/** Bytes of a page that are read: its head has all that is looked for. */
export const headBytes = 256 * 1024;

const covers = ["cover.png", "cover.jpg", "cover.jpeg", "cover.webp"];

/** Raster images that are named as what stands for a game. Of engines' exports `index.png` is the picture that is shown while it loads. */
const heroName =
  /(?:^|[^a-z])(?:cover|splash|screenshot)s?(?:[^a-z][^/]*)?\.(?:png|jpe?g|webp|gif)$|^index\.(?:png|jpe?g|webp)$/i;
const screenshotName = /(?:^|[^a-z])screenshots?(?:[^a-z][^/]*)?\.(?:png|jpe?g|webp|gif)$/i;
/** Pixels of the longer side from which a picture may be shown large; a smaller one is an icon. */
export const minHeroPixels = 512;
/** Images that are looked into. No game has more of these names. */
const maxHeroes = 50;

/**
 * Pictures of a release that their names alone recommend, the best one first: a file named `cover`, then the largest that are named as a cover, a
 * splash or a screenshot.
 *
 * @returns paths that `createRelease` takes
 */
export function namedPictures(files: PicturedFolder["files"]): string[] {
  const images = imagesOf(files);
  const paths = images.map(({ path }) => path);
  const heroes = images.filter(({ path }) => heroName.test(path) && !covers.includes(path));
  const largest = heroes.toSorted((a, b) => b.size - a.size).slice(0, maxHeroes);
  return [...covers.filter((path) => paths.includes(path)), ...largest.map(({ path }) => path)];
}

/** Pictures of a release that their names say to be screenshots, in the order of their names. */
export function screenshots(files: PicturedFolder["files"]): string[] {
  const named = imagesOf(files).filter(({ path }) => screenshotName.test(path));
  return named.map(({ path }) => path).toSorted(new Intl.Collator("en", { numeric: true }).compare);
}

function imagesOf(files: PicturedFolder["files"]): PicturedFolder["files"] {
  return files.filter((file) => imageProblem(file) === undefined);
}

/** Pictures that a person chooses from: those that names recommend, then the largest of the others. */
export function picturesToChoose(files: PicturedFolder["files"], maximum: number): string[] {
  const named = namedPictures(files);
  const others = imagesOf(files).filter(({ path }) => !named.includes(path));
  const largest = others.toSorted((a, b) => b.size - a.size);
  return [...named, ...largest.map(({ path }) => path)].slice(0, maximum);
}

/**
 * Picture of a game: the one that its page gives to social networks (Open Graph's `og:image`), then a file named `cover`, then the largest
 * image of at least {@link minHeroPixels} that is named as a cover, a splash or a screenshot, then its largest icon, of the page or of its web
 * application manifest. So a small icon never stands for a game that has a splash beside it.
 *
 * @returns a path that `createRelease` takes; undefined if there is none
 */
export async function pictureOf({ files, read, readImage }: PicturedFolder): Promise<string | undefined> {
  const isPicture = (path: string | undefined) => path !== undefined && pictureProblem(files, path) === undefined;
  const page = await read("index.html");
  const [metas, links] = [tagsOf(page, "meta"), tagsOf(page, "link")];
  const social = metas.filter(({ property, name }) =>
    /^(?:og|twitter):image(?::(?:secure_)?url)?$/i.test(property ?? name ?? ""),
  );
  const named = [...social.map(({ content }) => pathOf(content)), ...covers].find(isPicture);
  if (named !== undefined) return named;
  const heroes: { readonly path: string; readonly pixels: number }[] = [];
  for (const path of namedPictures(files)) {
    const { width, height } = imageSizeOf(await readImage(path)) ?? { width: 0, height: 0 };
    if (Math.max(width, height) >= minHeroPixels) heroes.push({ path, pixels: width * height });
  }
  const [hero] = heroes.toSorted((a, b) => b.pixels - a.pixels);
  if (hero !== undefined) return hero.path;
  const manifest = pathOf(links.find(({ rel }) => rel?.toLowerCase() === "manifest")?.href);
  const ofManifest = manifest === undefined ? [] : iconsOf(await read(manifest), manifest);
  const icons = [...links.flatMap(iconOf), ...ofManifest].filter(({ path }) => isPicture(path));
  return icons.toSorted((a, b) => b.pixels - a.pixels)[0]?.path;
}

/** A picture up to this size is on the game's page within 1.5 s at 1.6 Mbit/s (docs/decisions/0024-a-game-has-its-own-origin.md). */
const promptPictureBytes = 200_000;

/**
 * Files that are named as the picture, and are too large to be it; and the picture, if a phone's line takes long for it.
 *
 * @param picture the path of the game's picture, if it is one of the files
 */
export function pictureAdvice(files: PicturedFolder["files"], picture: string | undefined): Advice[] {
  return files.flatMap(({ path, size }): Advice[] => {
    if (covers.includes(path) && size > limits.pictureBytes) return [{ code: "picture_too_large", places: [path] }];
    // A drawing is sent compressed.
    const isSlow = path === picture && size > promptPictureBytes && !/\.svg$/i.test(path);
    return isSlow ? [{ code: "picture_slow", places: [path], bytes: size }] : [];
  });
}

/** Icons of a manifest that are read. No game has more. */
const maxIcons = 200;

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
    return icons.slice(0, maxIcons).flatMap((icon: { src?: unknown; sizes?: unknown; purpose?: unknown } | null) => {
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
