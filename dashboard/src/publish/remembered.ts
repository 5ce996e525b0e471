import type { Choices } from "./choices.ts";

/* What a person chose for a project, kept by this browser. The settings of the live release hold everywhere else. */

const keyOf = (slug: string) => `svc.publish.${slug}`;

export function rememberedChoices(slug: string): Choices {
  const text = localStorage.getItem(keyOf(slug));
  if (text === null) return { leftOut: [] };
  try {
    const { isolation, spa, immutable, frame, leftOut } = JSON.parse(text) as Partial<Choices>;
    return {
      ...(typeof isolation === "boolean" && { isolation }),
      ...(typeof spa === "boolean" && { spa }),
      ...(typeof immutable === "boolean" && { immutable }),
      ...((frame === "everybody" || frame === "nobody" || Array.isArray(frame)) && { frame }),
      leftOut: Array.isArray(leftOut) ? leftOut.filter((path) => typeof path === "string") : [],
    };
  } catch (error) {
    // Somebody has changed it: the person chooses again.
    console.warn(error);
    return { leftOut: [] };
  }
}

export function rememberChoices(slug: string, { isolation, spa, immutable, frame, leftOut }: Choices): void {
  localStorage.setItem(keyOf(slug), JSON.stringify({ isolation, spa, immutable, frame, leftOut }));
}
