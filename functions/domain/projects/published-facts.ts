import { limits } from "../../../contract/api/limits.ts";
import { type ImageSize, imageHeadBytes, imageSizeOf } from "../../../contract/folder/image-size.ts";
import { screenshots } from "../../../contract/folder/picture.ts";
import type { CurrentRelease, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { findManifest, type Manifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { readHead } from "../../files/store.ts";
import { readAuthorName } from "../../table/accounts/author-items.ts";
import { readProject } from "../../table/projects/project-items.ts";
import { readReleases } from "../../table/releases/release-items.ts";
import { pictureProblemIn } from "../releases/live-picture.ts";
import { pictureUrl, playUrl } from "./play-url.ts";
import { repositoryUrl, shownRun } from "./shown-run.ts";

/** Facts about a game that everybody may read on its public page. */
export interface PublicPage {
  readonly name: string;
  /** The name under which its owner publishes; undefined if there is none. */
  readonly author: string | undefined;
  readonly description: string | null;
  readonly howToPlay: string | null;
  readonly playUrl: string;
  /** When the live release went live. */
  readonly updatedAt: string;
  readonly picture: ShownPicture | undefined;
  /** The paths of the URLs of its other pictures. */
  readonly gallery: readonly string[];
  /** News that its publishers wrote about its releases, the last release first. */
  readonly news: readonly News[];
  /** Options that the project does without. */
  readonly switchedOff: readonly string[];
  /** The run of the live release, if the owner shows it. */
  readonly provenance: { readonly repositoryUrl: string; readonly commit: string; readonly runUrl: string } | undefined;
}

interface ShownPicture {
  readonly url: string;
  /** Undefined for a drawing, and for what is no image although its name says so. */
  readonly size: ImageSize | undefined;
}

interface News {
  readonly message: string;
  readonly at: string;
  readonly number: number;
}

/** The page is bounded: of the newest releases, the messages of so many. */
const releasesRead = 50;
const messagesShown = 10;

/** Whether a project does without an option. */
export async function isSwitchedOff(slug: string, option: string): Promise<boolean> {
  const { switchedOff = [] } = (await readProject(slug)) ?? {};
  return switchedOff.some((name) => name === option);
}

/**
 * Reads a game's public page from the table, strongly consistent.
 *
 * @returns undefined if there is nothing to play
 */
export async function readPublicPage(slug: string): Promise<PublicPage | undefined> {
  const [project, { items: releases }] = await Promise.all([
    readProject(slug),
    readReleases(slug, { limit: releasesRead }),
  ]);
  const url = playUrl({ slug });
  if (!isShown(project) || url === null) return undefined;
  const run = shownRun(project);
  const { currentRelease } = project;
  const [author, manifest] = await Promise.all([
    readAuthorName(project.ownerKey),
    findManifest(slug, currentRelease.manifest),
  ]);
  return {
    name: project.name,
    author,
    description: project.description,
    howToPlay: project.howToPlay ?? null,
    playUrl: url,
    updatedAt: currentRelease.publishedAt,
    picture: await shownPicture(project, currentRelease, manifest),
    gallery: galleryOf(project, currentRelease, manifest).map((path) => pathOfPicture(project, path)),
    news: newsOf(releases, currentRelease.id),
    switchedOff: project.switchedOff ?? [],
    provenance: run && { repositoryUrl: repositoryUrl(run), commit: run.commit, runUrl: run.runUrl },
  };
}

/**
 * Reads the name of a game and the path of its picture's URL, strongly consistent.
 *
 * @returns undefined if there is nothing to play
 */
export async function readShownGame(slug: string) {
  const project = await readProject(slug);
  if (!isShown(project)) return undefined;
  const url = pictureUrl(project, project.currentRelease.picture);
  return { name: project.name, picture: url === null ? undefined : new URL(url).pathname };
}

function pathOfPicture(project: Project, path: string): string {
  return new URL(pictureUrl(project, path) ?? "").pathname;
}

/** Whether everybody may see a project's name and picture: it is live, and neither suspended nor deleted. */
function isShown(project: Project | undefined): project is Project & { readonly currentRelease: CurrentRelease } {
  return project?.currentRelease !== undefined && !project.suspension && project.deletedAt === undefined;
}

/** Its size is what its bytes say. */
async function shownPicture(
  project: Project,
  { picture: path }: CurrentRelease,
  manifest: Manifest | undefined,
): Promise<ShownPicture | undefined> {
  const url = pictureUrl(project, path);
  if (path === undefined || url === null) return undefined;
  const content = manifest?.find(path);
  if (content === undefined) return undefined;
  return { url, size: imageSizeOf(await readHead(fileKey(project.slug, content.sha256), imageHeadBytes)) };
}

/** Its other pictures that are images of the live release: those that were chosen, else those that are named as screenshots. */
function galleryOf(
  { pictures }: Project,
  { picture }: CurrentRelease,
  manifest: Manifest | undefined,
): readonly string[] {
  const wanted = pictures ?? screenshots(manifest?.list() ?? []);
  const others = wanted.filter((path) => path !== picture && pictureProblemIn(manifest, path) === undefined);
  return [...new Set(others)].slice(0, limits.picturesPerProject);
}

/** News up to the live release: after a rollback, those of a later release are left out, as are those of withdrawn ones. */
function newsOf(releases: readonly Release[], liveId: string): PublicPage["news"] {
  return releases
    .filter(({ id, withdrawnAt }) => id <= liveId && withdrawnAt === undefined)
    .flatMap(({ message, firstPublished, number }) =>
      message && firstPublished && number ? [{ message, at: firstPublished.at, number }] : [],
    )
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, messagesShown);
}
