import type { Choices, ChosenPicture } from "./choices.ts";

/* What a person chose for a project, kept by this browser. The settings of the live release hold everywhere else. */

const keyOf = (slug: string) => `svc.publish.${slug}`;

export function rememberedChoices(slug: string): Choices {
  const text = localStorage.getItem(keyOf(slug));
  if (text === null) return { leftOut: [] };
  try {
    const { isolation, spa, immutable, frame, picture, page, leftOut } = JSON.parse(text) as Partial<Choices>;
    return {
      ...(typeof isolation === "boolean" && { isolation }),
      ...(typeof spa === "boolean" && { spa }),
      ...(typeof immutable === "boolean" && { immutable }),
      ...((frame === "everybody" || frame === "nobody" || Array.isArray(frame)) && { frame }),
      ...(isPicture(picture) && { picture }),
      ...(typeof page === "string" && { page }),
      leftOut: Array.isArray(leftOut) ? leftOut.filter((path) => typeof path === "string") : [],
    };
  } catch (error) {
    // Somebody has changed it: the person chooses again.
    console.warn(error);
    return { leftOut: [] };
  }
}

function isPicture(picture: ChosenPicture | undefined): boolean {
  return /^cover\.(?:png|jpg)$/.test(picture?.path ?? "") && /^[\w+/]+=*$/.test(picture?.bytes ?? "");
}

export function rememberChoices(slug: string, choices: Choices): void {
  const { isolation, spa, immutable, frame, picture, page, leftOut } = choices;
  try {
    localStorage.setItem(keyOf(slug), JSON.stringify({ isolation, spa, immutable, frame, picture, page, leftOut }));
  } catch (error) {
    // The browser keeps no more for this page: the picture is most of it.
    console.warn(error);
    if (picture !== undefined) rememberChoices(slug, { ...choices, picture: undefined });
  }
}
