import type { Client } from "../../../../contract/client.ts";
import { viewsWithout } from "../../option.ts";
import type { ProjectPlace } from "../../project-place.ts";
import { readOwnProject } from "../../projects.ts";
import { changesSince, filesIn } from "../releases/release-reads.ts";
import { releasesPage } from "../releases/releases-page.ts";
import { latestEvents } from "./history.tsx";

/**
 * Reads what a tab of a project begins with, before the tab is there: together with the sign-in instead of after it.
 *
 * @param client what it reads is kept for the tab (`Api.early`)
 * @throws what the client throws; the tab's own requests say it to the person
 */
export async function readEarly(client: Client, place: ProjectPlace, leftOut: readonly string[]): Promise<void> {
  const { slug, tab, inside } = place;
  const isOverview = tab === "overview" && !inside;
  const isRelease = tab === "releases" && inside !== undefined;
  const shown = isRelease ? "release" : inside ? undefined : tab;
  await Promise.all([
    readOwnProject(client, slug),
    releasesPage(client, slug, undefined),
    isOverview && latestEvents(client, slug),
    isRelease && changesSince(client, slug, inside),
    isRelease && filesIn(client, { slug, id: inside, folder: "" }, undefined),
    ...viewsWithout(leftOut).map(({ readEarly: ofOption }) => shown && ofOption?.(client, slug, shown)),
  ]);
}
