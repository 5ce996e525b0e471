import { urlPathOf } from "../../../contract/folder/url-path.ts";
import type { Preview, Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { keyOfPreview } from "../../table/projects/preview-items.ts";

type PlayableProject = Pick<Project, "slug">;

/**
 * URL of a project's game; null if the service has no domain for games. Only the local service, whose domain is localhost or has a port,
 * uses http: it has no certificate.
 */
export function playUrl(project: PlayableProject): string | null {
  return urlOf(project.slug, environment.gamesDomain());
}

/**
 * URL of the live release's picture; null if it has none, and for a project that nobody can play.
 *
 * @param picture its path in the live release
 */
export function pictureUrl(project: Project, picture: string | undefined): string | null {
  const url = playUrl(project);
  if (picture === undefined || url === null || (project.deletedAt ?? project.suspension) !== undefined) return null;
  return url + urlPathOf(picture);
}

/** URL of an open release before it goes live; null as for {@link playUrl}. */
export function previewUrl(project: PlayableProject, preview: Preview): string | null {
  return urlOf(keyOfPreview(project.slug, preview), environment.gamesDomain());
}

/**
 * URL of a file of the live release at the games' edge; null if the service has no such edge.
 *
 * @param path not percent-encoded
 */
export function countedFileUrl({ slug }: PlayableProject, path: string): string | null {
  const url = urlOf(slug, environment.gamesEdgeDomain());
  return url && url + urlPathOf(path.toWellFormed());
}

function urlOf(label: string, gamesDomain: string | undefined): string | null {
  if (gamesDomain === undefined) return null;
  const scheme = /^localhost$|:\d+$/.test(gamesDomain) ? "http" : "https";
  return `${scheme}://${label}.${gamesDomain}/`;
}
