import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import {
  changedSettings,
  defaultSettings,
  type ReleaseSettings,
} from "../../../contract/api/releases/release-settings.ts";
import type { Decisions, ReleaseChoices } from "../../entities/decisions.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { type Manifest, readManifest } from "../../files/manifests.ts";
import { readRelease, readReleases } from "../../table/releases/release-items.ts";

/*
 * What a person has decided for the next publication (docs/decisions/0058-publishing-in-the-browser.md). A release that a token or a CI job
 * made live leaves it as it was, so that what the holder of a stolen token sets is over with the release.
 */

/** Choices with the content of the picture, if one was chosen. */
export type ChosenContent = Omit<ReleaseChoices, "picture"> & { readonly picture?: ManifestFile | undefined };

export function choicesOf({ choices = {}, picture: path = "" }: Release, manifest: Manifest): ChosenContent {
  const content = choices.picture && manifest.find(path);
  return { ...choices, picture: content && { path, ...content } };
}

/**
 * What making this release live by a session decides.
 *
 * @param earlier decisions of before, which a new release that has the files of the live one changes in its `changedSettings` alone: a
 *   person has decided nothing else of what a token had set there
 */
export function decisionsIn(release: Release, manifest: Manifest, earlier?: Decisions): Decisions {
  const { picture, ...choices } = choicesOf(release, manifest);
  const settings = earlier ? settingsAfter(earlier, release, manifest) : manifest.settings;
  const names = changedSettings(defaultSettings, settings);
  return {
    settings: Object.fromEntries(names.map((name) => [name, settings[name]])),
    choices: {
      ...choices,
      ...(picture && { picture: { path: picture.path, size: picture.size, sha256: picture.sha256 } }),
    },
  };
}

function settingsAfter(earlier: Decisions, { changedSettings: names = [] }: Release, manifest: Manifest) {
  const changed = Object.fromEntries(names.map((name) => [name, manifest.settings[name]]));
  return { ...defaultSettings, ...earlier.settings, ...changed };
}

const releasesRead = 100;

/** What was decided for a project; of one of before, what its live release has, or else the one that was live last. */
export async function decisionsOf(project: Project): Promise<Decisions> {
  if (project.decided) return project.decided;
  const release = await lastLive(project);
  if (release === undefined) return { settings: {}, choices: {} };
  return decisionsIn(release, await readManifest(project.slug, release.manifest));
}

async function lastLive({ slug, currentRelease, numbered = 0 }: Project): Promise<Release | undefined> {
  if (currentRelease) return await readRelease(slug, currentRelease.id);
  if (numbered === 0) return undefined;
  const { items } = await readReleases(slug, { limit: releasesRead });
  return items
    .filter(({ publishedAt, withdrawnAt }) => publishedAt !== undefined && withdrawnAt === undefined)
    .toSorted((a, b) => ((a.publishedAt ?? "") < (b.publishedAt ?? "") ? 1 : -1))
    .at(0);
}

/** In full. @param manifest that of a release whose bytes are stored: a picture that it lacks may be stored no more */
export function decidedFor({ settings, choices: { picture, ...choices } }: Decisions, manifest: Manifest) {
  const isStored = picture && manifest.find(picture.path)?.sha256 === picture.sha256;
  const all: ReleaseSettings = { ...defaultSettings, ...settings };
  return { settings: all, choices: { ...choices, ...(isStored && { picture }) } satisfies ChosenContent };
}
