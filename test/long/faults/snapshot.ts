import type { TestService } from "../../support/service/service.ts";
import { waitingNotices } from "../../support/table/outbox.ts";
import { itemsOf, type StoredItem } from "../../support/table/stored.ts";

/** Counters of attempts grow with each request, whether it succeeds or not. */
const counters = "LOOKUPS#";

/**
 * The stored items of partitions, and the notices and ledgers of the accounts among them, without counters. What differs from run to
 * run (ids, times, hashes) is replaced by its kind.
 */
export async function snapshot(service: TestService, partitions: readonly string[]): Promise<string[]> {
  const items = await Promise.all(
    partitions.flatMap((partition) => [
      itemsOf(service, partition),
      ...(partition.startsWith("ACCOUNT#") ? [waitingNotices(service, partition.slice("ACCOUNT#".length))] : []),
      ...(partition.startsWith("ACCOUNT#")
        ? ["AUTHOR", "LEDGER"].map((kind) => itemsOf(service, partition.replace("ACCOUNT", kind)))
        : []),
    ]),
  );
  return items
    .flat()
    .filter(({ SK }) => !String(SK).startsWith(counters))
    .map(comparable)
    .sort();
}

const volatile: readonly [RegExp, string][] = [
  // The key of a webhook, before an id that may be part of it.
  [/"key":"[0-9A-Za-z+/]{32}"/g, '"key":"<key>"'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>"],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>"],
  [/game-[0-9a-f-]{18}/g, "<slug>"],
  [/\b[0-9a-f]{64}\b/g, "<sha256>"],
  [/[0-9A-Za-z+/]{43}=/g, "<hash>"],
  // An hour, and a release's name at the edge.
  [/(?<="|#)\d{4}-\d\d-\d\dT\d\d(?="|#)/g, "<hour>"],
  [/(?<="|#)[\w-]{43}(?="|#)/g, "<release>"],
  [/(?<![0-9A-Za-z])[0-9A-Za-z]{22}(?![0-9A-Za-z])/g, "<id>"],
  [/OUTBOX#\d/g, "OUTBOX#<shard>"],
  [/"ttl":\d+/g, '"ttl":"<ttl>"'],
  // The edge cache's era: random, new with each publication that leaves nothing there.
  [/"era":"[\w-]{8}"/g, '"era":"<era>"'],
  [/"changes":\["[^\]]*"\]/g, '"changes":["<changes>"]'],
  // Expiry of a preview, in epoch seconds.
  [/"expiresAt":\d+/g, '"expiresAt":"<ttl>"'],
  // Numbers of a trusted publisher.
  [/"repositoryId":"\d+"/g, '"repositoryId":"<number>"'],
  [/"hint":"\w+"/g, '"hint":"<hint>"'],
  // A request that is sent again also revokes what was approved since the first one, so it counts once more.
  [/"approvalEpoch":[1-9]\d*/g, '"approvalEpoch":"<epoch>"'],
  [/"signature":"[^"]+"/g, '"signature":"<signature>"'],
  // A manifest is stored compressed, so its length depends on its hashes. None stays 0.
  [/"usedBytes":[1-9]\d*/g, '"usedBytes":"<bytes>"'],
  [/"reserved":\{"bytes":[1-9]\d*/g, '"reserved":{"bytes":"<bytes>"'],
];

function comparable(item: StoredItem): string {
  return volatile.reduce((text, [pattern, kind]) => text.replace(pattern, kind), JSON.stringify(item, sortedMembers));
}

function sortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** An item of a snapshot without what is counted as stored. Counting the first object also begins the counts of releases. */
export function withoutCounts(item: string): string {
  return item.replace(/,?"(?:(?:opened|openReleases)":0|usedBytes":[^,}]*|usedObjects":\d+)(?=[,}])/g, "");
}

/** The items that are in only one of the snapshots. */
export function difference(is: readonly string[], should: readonly string[]): string {
  const only = (a: readonly string[], b: readonly string[]) => a.filter((item) => !b.includes(item));
  return [...only(is, should).map((item) => `+ ${item}`), ...only(should, is).map((item) => `- ${item}`)].join("\n");
}
