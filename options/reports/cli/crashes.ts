import type { CommandPart } from "../../../cli/src/command-parts.ts";
import { printable } from "../../../cli/src/text.ts";
import { crashesPer1000Plays, mostOf, releaseTitle, shownReleases } from "../contract/rates.ts";

/** Crashes of releases below the statistics of a project, if browsers have reported any. */
export const showCrashes: CommandPart = async ({ client, slug, say, sayColumns }) => {
  const { releases, worse } = await client.call("GET /projects/:slug/crashes", { params: { slug }, query: {} });
  const shown = shownReleases(releases);
  if (shown.length === 0) return;
  say("Crashes that Chrome and Edge reported in the last 30 days; Firefox and Safari report none:");
  sayColumns(
    ["RELEASE", "CRASHES", "PER 1,000 PLAYS", "MOSTLY", "ON"],
    shown.map((of) => ({
      cells: [
        releaseTitle(of.release),
        String(of.crashes),
        crashesPer1000Plays(of)?.toFixed(1) ?? "",
        printable(mostOf(of.reasons) ?? ""),
        printable(mostOf(of.devices) ?? ""),
      ],
    })),
  );
  if (worse === null) return;
  const { of, before } = worse;
  say(
    `${releaseTitle(of)} crashes clearly more often than ${releaseTitle(before)}. To go back: svc live ${before.number}`,
  );
};

/** Crashes of two releases for each 1,000 plays, if both were played often enough. */
export const compareCrashes: CommandPart = async ({ client, slug, compared, sayColumns }) => {
  if (compared === undefined) return;
  // A retry must not be in the way of a roll-back.
  const read = await client.call("GET /projects/:slug/crashes", { params: { slug }, query: {}, tries: 1 });
  const rated = [compared.before, compared.of].flatMap((id) => {
    const row = read.releases.find(({ release }) => release.id === id);
    const rate = row && crashesPer1000Plays(row);
    return row && rate !== undefined ? [{ title: releaseTitle(row.release), rate: rate.toFixed(1) }] : [];
  });
  const hasCrashed = rated.some(({ rate }) => rate !== "0.0");
  if (rated.length < 2 || !hasCrashed) return;
  sayColumns(
    ["RELEASE", "CRASHES PER 1,000 PLAYS (CHROME, EDGE)"],
    rated.map(({ title, rate }) => ({ cells: [title, rate] })),
  );
};
