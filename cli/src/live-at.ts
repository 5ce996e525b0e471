import type { Client, ResponseBody } from "../../contract/client.ts";
import { UserError } from "./errors.ts";

export type ScheduledRelease = ResponseBody<"scheduleRelease">;

const pattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::00)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * The time that a person names: 2026-12-01T18:00+01:00, or without a zone in that of this machine.
 *
 * @throws UserError for any other text, and for a time that is over
 */
export function readTime(text: string, now: Date): Date {
  const [, day, time, zone = ""] = pattern.exec(text) ?? [];
  const at = new Date(`${day}T${time}${zone}`);
  // A day that the month does not have would be one of the next month.
  const isDay =
    day !== undefined && !Number.isNaN(at.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (!isDay)
    throw new UserError(
      `--at must be a day and a time such as 2026-12-01T18:00+01:00, or 2026-12-01T18:00 in this machine's zone, not "${text}".`,
      {
        code: "invalid_time",
      },
    );
  if (at <= now)
    throw new UserError(`${timeInWords(at)} is over.`, {
      code: "invalid_time",
      next: "To make it live now, leave --at out.",
    });
  return at;
}

/** A time in the zone of this machine, which it names: Tue, 1 Dec 2026, 18:00 (Europe/Berlin, UTC+01:00). */
export function timeInWords(at: Date): string {
  const day = at.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" });
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "longOffset" }).formatToParts(at);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "UTC";
  if (timeZone === "UTC") return `${day} (UTC)`;
  return `${day} (${[...new Set([timeZone, offset])].join(", ")})`;
}

/**
 * The release that a project has scheduled, with its time, among the newest hundred. Not by the project, which tells a token that only
 * publishes no more than it tells everybody.
 *
 * @throws UserError if it has none
 */
export async function scheduledRelease(client: Client, slug: string): Promise<ScheduledRelease> {
  const { releases } = await client.call("GET /projects/:slug/releases", { params: { slug }, query: { limit: "100" } });
  const found = releases.find(({ schedule }) => schedule !== null);
  if (found) return found;
  throw new UserError(`No release of ${slug} is scheduled.`, {
    code: "no_schedule",
    next: "svc releases shows what is live.",
  });
}
