import * as Flags from "@oclif/core/flags";
import type { Row } from "../../../cli/src/columns.ts";
import { ApiCommand, example, projectFlag } from "../../../cli/src/command.ts";
import { usageError } from "../../../cli/src/errors.ts";
import { humanBytes, minute, printable } from "../../../cli/src/text.ts";
import { dayMilliseconds } from "../../../contract/api/limits.ts";
import type { ResponseBody } from "../../../contract/client.ts";
import { errorsOf, latestUpdate, type PlaysComparison, playsOf } from "../contract/plays.ts";
import { usedTraffic } from "../contract/traffic.ts";
import { playsHeadings, playsRow } from "./plays-rows.ts";

export class Stats extends ApiCommand {
  static override hiddenAliases = ["statistics"];
  static override summary = "Show a project's statistics.";
  static override description =
    "A play is one opening of the game's page, including reloads and your own visits. Counts are approximate, by day in UTC and by " +
    "release, and up to a day late. What a service worker responds with is not counted. No player is followed.";
  static override examples = [
    example("The last 30 days of the project in svc.toml"),
    example("A table for another program", "--from 2026-11-01 --csv > plays.csv"),
  ];
  static override flags = {
    ...projectFlag,
    from: Flags.string({ summary: "The first day, 30 days before by default.", helpValue: "DAY" }),
    to: Flags.string({ summary: "The last day, today by default.", helpValue: "DAY" }),
    csv: Flags.boolean({ summary: "Print the days as comma-separated values.", exclusive: ["json"] }),
  };

  async run() {
    const { flags } = await this.parse(Stats);
    const { from, to } = flags;
    assertDay("--from", from);
    assertDay("--to", to);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    const statistics = await client.call("GET /projects/:slug/statistics", { params: { slug }, query: { from, to } });
    if (flags.csv) this.print(csvOf(statistics));
    else if (statistics.days.length === 0)
      this.say(`Nobody has played ${slug} from ${statistics.from} to ${statistics.to}, as far as is counted yet.`);
    else this.#show(statistics);
    if (!flags.csv) this.#showTraffic(statistics);
    if (!flags.csv && !this.jsonEnabled()) await this.showParts({ client, slug });
    return statistics;
  }

  #show(statistics: Statistics): void {
    const { days, countries, failing } = statistics;
    if (process.stdout.isTTY) this.say(`${blocksOf(statistics)}  plays a day, ${statistics.from} to ${statistics.to}`);
    this.sayColumns(["DAY (UTC)", "RELEASE", "PLAYS", "FIRST", "SENT", "ERRORS", "FIRST BYTE"], days.map(rowOf));
    this.#showUpdate(latestUpdate(days));
    const places = Object.entries(countries).map(([country, plays]) => `${country} ${plays}`);
    this.say(`Plays by country: ${printable(places.slice(0, 10).join(", ")) || "none"}`);
    for (const { path, status, requests } of failing.slice(0, 10))
      this.say(`${status} ${printable(path)}: ${requests} ${requests === 1 ? "time" : "times"}`);
  }

  #showTraffic({ traffic }: Statistics): void {
    for (const { of, bytes, limit, percent } of usedTraffic(traffic)) {
      const by = of === "account" ? " by all your projects" : "";
      this.say(`Sent this month${by}: ${humanBytes(bytes)} of at most ${humanBytes(limit)} (${percent} %)`);
    }
    const { limited_until: until } = traffic;
    if (until !== null)
      this.say(`Players get a page until ${minute(until)} UTC, because a limit of traffic is reached.`);
  }

  #showUpdate(update: PlaysComparison | undefined): void {
    if (update === undefined) return;
    const { of, before } = update;
    this.say(`What update #${of.release.number} did:`);
    this.sayColumns(playsHeadings, [before, of].map(playsRow));
  }
}

/** @throws UserError (exit code 2) */
function assertDay(flag: string, day: string | undefined): void {
  if (day === undefined || /^\d{4}-\d\d-\d\d$/.test(day)) return;
  throw usageError(`${flag} must be a day such as ${new Date().toISOString().slice(0, 10)}.`, {
    next: "Days are in UTC: year, month, day.",
  });
}

type Statistics = ResponseBody<"getStatistics">;
type Day = Statistics["days"][number];

function rowOf(of: Day): Row {
  const firstByte = of.first_byte_milliseconds === null ? "" : `${of.first_byte_milliseconds} ms`;
  const release = of.release === null ? "" : `#${of.release.number}`;
  const numbers = [playsOf(of), of.first_plays].map(String);
  return { cells: [of.day, release, ...numbers, humanBytes(of.bytes), String(errorsOf(of)), firstByte] };
}

function csvOf({ days }: Statistics): string {
  const names = "day,release,release_number,first_plays,repeated_plays,requests,bytes,errors,first_byte_milliseconds";
  const lines = days.map((of) =>
    [
      ...[of.day, of.release?.id ?? "", of.release?.number ?? "", of.first_plays, of.repeated_plays, of.requests],
      ...[of.bytes, errorsOf(of), of.first_byte_milliseconds ?? ""],
    ].join(","),
  );
  return [names, ...lines].join("\n");
}

const blocks = "▁▂▃▄▅▆▇█";

/** A block for each day; a day without plays is a space. */
function blocksOf({ from, to, days }: Statistics): string {
  const plays = new Map<string, number>();
  for (const of of days) plays.set(of.day, (plays.get(of.day) ?? 0) + playsOf(of));
  const most = Math.max(1, ...plays.values());
  let line = "";
  for (let time = Date.parse(from); time <= Date.parse(to); time += dayMilliseconds) {
    const count = plays.get(new Date(time).toISOString().slice(0, 10)) ?? 0;
    line += count === 0 ? " " : (blocks[Math.ceil((count / most) * blocks.length) - 1] ?? "");
  }
  return line;
}
