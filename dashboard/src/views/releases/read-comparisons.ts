import type { Client } from "../../../../contract/client.ts";
import type { ComparedReleases, Comparison, OptionViews } from "../../option.ts";

/**
 * Reads what options know of a project's releases. @returns what compares two of them
 *
 * @throws what the client throws
 */
export async function readComparisons(
  client: Client,
  slug: string,
  options: readonly OptionViews[],
): Promise<(ids: ComparedReleases) => Comparison[]> {
  const all = await Promise.all(options.map(({ comparisons }) => comparisons?.(client, slug)));
  return (ids) => all.map((compare) => compare?.(ids)).filter((comparison) => comparison !== undefined);
}
