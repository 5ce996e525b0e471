import { pictureProblem } from "../../../contract/api/releases/pictures.ts";
import { namedPictures } from "../../../contract/folder/picture.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { Manifest } from "../../files/manifests.ts";

/**
 * The picture of a release that goes live, or is live: what was chosen in its review, then what its project's people chose in Settings, what its
 * publisher named, what was shown until now, and what names recommend; the first of these that is one of its files. So a roll-back to a release
 * that names none keeps one, and never one of a release that players do not get.
 *
 * @returns undefined: none of its files is named as a picture
 */
export function livePicture(
  project: Pick<Project, "picture" | "currentRelease">,
  { picture: named, choices }: Pick<Release, "picture" | "choices">,
  manifest: Manifest,
): string | undefined {
  const isPicture = (path: string | null | undefined) =>
    typeof path === "string" && pictureProblemIn(manifest, path) === undefined;
  const reviewed = choices?.picture ? named : undefined;
  const wanted = [reviewed, project.picture, named, project.currentRelease?.picture].find(isPicture);
  return wanted ?? namedPictures(manifest.list())[0];
}

/** As {@link pictureProblem}, of a release's files, of which only this one is looked for. @param manifest undefined: there is no file */
export function pictureProblemIn(manifest: Manifest | undefined, picture: string): string | undefined {
  const file = manifest?.find(picture);
  return pictureProblem(file === undefined ? [] : [{ path: picture, size: file.size }], picture);
}
