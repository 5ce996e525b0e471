import { pathToFileURL } from "node:url";
import { limits } from "../contract/limits.ts";
import { prices } from "../infra/prices.ts";

/*
 * The worst bill that one hostile developer can cause: `node tools/worst-bill.ts` prints the table of
 * docs/decisions/0036-quota.md. Assumptions: the prices of infra/prices.ts; a line of 10 Gbit/s, which stores or fetches
 * 4.5 TB an hour; 3,500 writes a second, which is what S3 takes below one prefix.
 */

const hoursPerMonth = 720;
const lineGigabytesPerHour = 4_500;
const writesPerSecond = 3_500;

type Tiers = readonly (readonly [upTo: number, dollars: number])[];

/** The price of an amount, of which each part has the price of its tier. */
function tiered(amount: number, tiers: Tiers): number {
  let below = 0;
  let dollars = 0;
  for (const [upTo, price] of tiers) {
    dollars += Math.max(Math.min(amount, upTo) - below, 0) * price;
    below = upTo;
  }
  return dollars;
}

interface Row {
  readonly what: string;
  /** Dollars of an hour and of a month. */
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
}

/** Each thing that is paid for, without the quota and with it. */
function worstBill(): Row[] {
  const overHours = (of: (hours: number) => number) => [of(1), of(hoursPerMonth)] as const;
  const storedAtEnd = overHours((hours) => tiered(lineGigabytesPerHour * hours, prices.storedGigabyteMonth));
  const quota = tiered(limits.bytesPerAccount / 1e9, prices.storedGigabyteMonth);
  // What is given up leaves the ledger after 7 days.
  const fillings = 1 + Math.floor(30 / (limits.openReleaseLifetimeSeconds / 86_400));
  const objects = (limits.objectsPerAccount * prices.millionStoreWrites) / 1e6;
  const writes = overHours((hours) => (hours * 3_600 * writesPerSecond * prices.millionStoreWrites) / 1e6);
  const sent = overHours((hours) => tiered(lineGigabytesPerHour * hours, prices.sentGigabyte));
  return [
    { what: "a month of what is stored at the end", before: storedAtEnd, after: [quota, quota] },
    { what: "writing objects", before: writes, after: [objects, objects * fillings] },
    { what: "uploads that are refused, because the object exists", before: writes, after: writes },
    { what: "downloads of what is published", before: sent, after: sent },
  ];
}

/** The bill as rows of a Markdown table. */
export function worstBillTable(): string {
  const dollars = (value: number) => `$${value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en")}`;
  return worstBill()
    .map(({ what, before, after }) => `| ${[what, ...[...before, ...after].map(dollars)].join(" | ")} |`)
    .join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.stdout.write(`${worstBillTable()}\n`);
