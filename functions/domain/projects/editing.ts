import type { Project, ProjectChanges } from "../../entities/project.ts";
import { readManifest } from "../../files/manifests.ts";
import { changeProject, isKnownAtEdge, isUnchanged } from "../../table/projects/project-items.ts";
import { readRelease } from "../../table/releases/release-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { livePicture, pictureProblemIn } from "../releases/live-picture.ts";
import { ServiceError } from "../service-error.ts";
import { assertJustSignedIn } from "../sign-in-age.ts";
import { bringToEdge, ownChange } from "./pointers.ts";

const whoDecides =
  "No token decides whether a project takes tokens, or whether a person makes live in it. Its owner or an admin does it in the dashboard: Settings, in the project.";

/**
 * Changes what the owner may edit. What is so already is no change, and without any nothing is written: a request that is sent again,
 * because its response was lost, has one line in the history.
 *
 * @throws ServiceError `validation_failed` if the live release has not each of the pictures; `session_required` if a token says whether tokens are
 *   refused or a person makes live; `recent_sign_in_required` if a person says the latter who could not make live then
 */
export async function editProject(actor: ProjectActor, changes: ProjectChanges, now: Date): Promise<Project> {
  const { project } = actor;
  const { refuseTokens, personMakesLive } = changes;
  const isForPersons = refuseTokens !== undefined || personMakesLive !== undefined;
  if (isForPersons && actor.kind === "token") throw new ServiceError("session_required", { detail: whoDecides });
  if (personMakesLive && actor.kind === "idToken") assertJustSignedIn(actor.person, now);
  if (changes.pictures) await assertPictures(project, changes.pictures);
  const shown = changes.picture === undefined ? {} : await withPicture(project, changes.picture);
  if (isUnchanged(project, { ...changes, ...shown })) return project;
  const changed = await changeProject(project, { ...changes, ...shown }, changeBy(actor, now));
  if (isKnownAtEdge(project, changes)) await bringToEdge(ownChange(changed), now);
  return changed;
}

/** @throws ServiceError `validation_failed` if one of the paths is none of an image of the live release */
async function assertPictures({ slug, currentRelease }: Project, pictures: readonly string[]): Promise<void> {
  const manifest = currentRelease && (await readManifest(slug, currentRelease.manifest));
  const errors = pictures.flatMap((path, index) => {
    const problem = pictureProblemIn(manifest, path);
    return problem === undefined ? [] : [{ pointer: `/pictures/${index}`, detail: `${problem} of the live release` }];
  });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

/**
 * What else changes with the picture: the live release is shown by it, and the next publication brings no other one that was chosen in the
 * review of an earlier one.
 *
 * @throws ServiceError `validation_failed` if the live release has no such image
 */
async function withPicture(
  project: Project,
  picture: string | null,
): Promise<Pick<Project, "currentRelease" | "decided">> {
  const { slug, currentRelease, decided } = project;
  const [release, manifest] = await Promise.all([
    currentRelease && readRelease(slug, currentRelease.id),
    currentRelease && readManifest(slug, currentRelease.manifest),
  ]);
  const problem = picture === null ? undefined : pictureProblemIn(manifest, picture);
  if (problem !== undefined)
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/picture", detail: `${problem} of the live release` }],
    });
  const { picture: _, ...choices } = decided?.choices ?? {};
  const left = decided && picture !== null ? { decided: { ...decided, choices } } : {};
  if (currentRelease === undefined || release === undefined || manifest === undefined) return left;
  const { picture: __, ...others } = currentRelease;
  const shown = picture ?? livePicture({}, release, manifest);
  return { ...left, currentRelease: { ...others, ...(shown !== undefined && { picture: shown }) } };
}
