import type { Choices, ChosenPicture, FolderPicture } from "../../../publisher/settings.ts";

/*
 * Choices for a release that is not live yet: a preview, or a publication that failed. This browser keeps them until another release goes
 * live, because a release keeps its own choices.
 */

const keyOf = (slug: string) => `svc.publish.${slug}`;

/** @param live the release that is live; null: none */
export function rememberedChoices(slug: string, live: string | null): Partial<Choices> {
  const text = localStorage.getItem(keyOf(slug));
  if (text === null) return {};
  try {
    const { beside, chosen } = JSON.parse(text) as { beside?: string | null; chosen?: Partial<Choices> };
    if (beside !== live || !chosen) return {};
    const { isolation, spa, immutable, frame, whole, picture, page, leftOut } = chosen;
    return {
      ...(typeof isolation === "boolean" && { isolation }),
      ...(typeof spa === "boolean" && { spa }),
      ...(typeof whole === "boolean" && { whole }),
      ...(typeof immutable === "boolean" && { immutable }),
      ...((frame === "everybody" || frame === "nobody" || Array.isArray(frame)) && { frame }),
      ...(isPicture(picture) && { picture }),
      // Removed: JSON has no undefined.
      ...(picture === null && { picture: undefined }),
      ...(typeof page === "string" && { page }),
      ...(Array.isArray(leftOut) && { leftOut: leftOut.filter((path) => typeof path === "string") }),
    };
  } catch (error) {
    // Somebody has changed it: the person chooses again.
    console.warn(error);
    return {};
  }
}

function isPicture(picture: Choices["picture"] | null): picture is ChosenPicture | FolderPicture {
  if (!picture || typeof picture.path !== "string" || "sha256" in picture) return false;
  if (!("bytes" in picture)) return true;
  return /^cover\.(?:png|jpg)$/.test(picture.path) && /^[\w+/]+=*$/.test(picture.bytes);
}

export function rememberChoices(slug: string, live: string | null, choices: Partial<Choices>): void {
  const { folder: _, ...chosen } = choices;
  try {
    const removed = "picture" in choices && choices.picture === undefined;
    const text = JSON.stringify({ beside: live, chosen: { ...chosen, ...(removed && { picture: null }) } });
    localStorage.setItem(keyOf(slug), text);
  } catch (error) {
    // The browser keeps no more for this page: the picture is most of it.
    console.warn(error);
    const { picture, ...others } = choices;
    if (picture !== undefined) rememberChoices(slug, live, others);
  }
}
