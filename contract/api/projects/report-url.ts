/** Replaced by the project's slug. */
const slugPlace = "{slug}";

/** A function at the edge has at most 10,240 bytes, and the setting is in it (infra/bundles/viewer-bundles.test.ts). */
const longest = 300;

/** Problem with the setting that says where games are reported; undefined if the setting is valid. */
export function reportUrlProblem(value: string): string | undefined {
  const isUsable =
    URL.canParse(value) && ["https:", "mailto:"].includes(new URL(value).protocol) && !/[\s"<>]/.test(value);
  if (isUsable && Buffer.byteLength(value) > longest) return `must have at most ${longest} bytes`;
  return isUsable ? undefined : "must be an https or mailto URL such as mailto:abuse@example.com?subject={slug}";
}

/**
 * URL at which a person reports a game to the operator.
 *
 * @param setting an https or mailto URL, in which `{slug}` stands for the project's slug
 * @param slug undefined if a host name cannot be a project's
 */
export function reportUrlOf(setting: string, slug = ""): string {
  return setting.split(slugPlace).join(slug);
}
