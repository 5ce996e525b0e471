import type { Amount } from "../../../../functions/entities/project.ts";
import { listObjects } from "../../../../functions/files/store.ts";
import { keys } from "../../../../functions/table/keys.ts";
import type { TestService } from "../../../support/service/service.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import { itemsOf, type StoredItem } from "../../../support/table/stored.ts";
import { keyOf, type PreparedOperation, quota } from "./operations.ts";

/** What is counted and what is stored of the projects of an operation. */
export interface Ledgers {
  /** The sum of its projects. */
  readonly counted: Amount;
  readonly stored: Amount;
  /** What must never be so. */
  readonly wrong: string[];
}

export async function ledgersOf(service: TestService, { owners, slugs }: PreparedOperation): Promise<Ledgers> {
  const accounts = owners.map((owner) => keyOf(service, owner));
  const partitions = [
    ...accounts.flatMap((key) => [keys.account(key).PK, keys.ledger(key).PK]),
    ...(await everyProject(service, accounts, slugs)),
  ];
  const items = (await Promise.all(partitions.map((partition) => itemsOf(service, partition)))).flat();
  const projects = items.filter(({ SK, PK }) => SK === "PROJECT" && slugs.includes(String(PK).slice(8)));
  const each = await Promise.all(projects.map(aboutProject));
  return {
    counted: sum(projects.map(usedOf)),
    stored: sum(each.map(({ stored }) => stored)),
    wrong: [
      ...brokenInvariants(items),
      ...each.flatMap(({ wrong }) => wrong),
      ...items.filter(({ SK }) => SK === "LEDGER").flatMap((ledger) => beyond("account", usedOf(ledger))),
    ],
  };
}

/** The partitions of the operation's projects and of the others of its owners. */
async function everyProject(service: TestService, accounts: readonly string[], slugs: readonly string[]) {
  const owned = await Promise.all(accounts.map((key) => itemsOf(service, keys.account(key).PK)));
  const others = owned.flat().flatMap(({ SK }) => (String(SK).startsWith("PROJECT#") ? [String(SK).slice(8)] : []));
  return [...new Set([...slugs, ...others])].map((slug) => keys.project(slug).PK);
}

async function aboutProject(project: StoredItem): Promise<{ stored: Amount; wrong: string[] }> {
  const prefix = `projects/${project["slug"]}/`;
  const { objects } = await listObjects({ prefix, startAfter: "", maximum: 1_000 });
  const stored = sum(objects.map(({ size }) => ({ bytes: size, objects: 1 })));
  const used = usedOf(project);
  const isMore = stored.bytes > used.bytes || stored.objects > used.objects;
  const uncounted = isMore ? [`${shown(stored)} are stored and ${shown(used)} counted`] : [];
  return { stored, wrong: [...beyond("project", used), ...uncounted] };
}

function beyond(whose: "project" | "account", used: Amount): string[] {
  const { bytes, objects } = quota[whose];
  const isWithin = used.bytes <= bytes && used.objects <= objects && used.bytes >= 0 && used.objects >= 0;
  return isWithin ? [] : [`the ${whose}'s ledger has ${shown(used)}`];
}

function usedOf(item: StoredItem): Amount {
  return { bytes: Number(item["usedBytes"] ?? 0), objects: Number(item["usedObjects"] ?? 0) };
}

export function sum(amounts: readonly Amount[]): Amount {
  const of = (unit: keyof Amount) => amounts.reduce((total, amount) => total + amount[unit], 0);
  return { bytes: of("bytes"), objects: of("objects") };
}

export function shown({ bytes, objects }: Amount): string {
  return `${bytes} bytes in ${objects} objects`;
}
