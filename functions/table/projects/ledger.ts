import type { Amount, CountedAmount, Ledger, Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { asRead, type Condition, itemExists } from "../expressions.ts";
import { keys } from "../keys.ts";
import { readItems } from "../read.ts";
import { change, tryTransact, type Write } from "../transaction.ts";
import { updateItem } from "../update.ts";

/*
 * Amounts counted for a project and for its account change by the same amount in one transaction
 * (docs/decisions/0036-quota.md).
 */

/** Amounts counted for an account. */
export async function readLedger(accountKey: string): Promise<Ledger | undefined> {
  const [ledger] = await readItems([keys.ledger(accountKey)]);
  return ledger;
}

/** The part of an update that counts more, or sets it. */
export function counting({ bytes, objects, drafts }: CountedAmount) {
  return {
    expression: `usedBytes :bytes, usedObjects :objects${drafts ? ", draftBytes :draftBytes, draftObjects :draftObjects" : ""}`,
    values: {
      ":bytes": bytes,
      ":objects": objects,
      ...(drafts && { ":draftBytes": drafts.bytes, ":draftObjects": drafts.objects }),
    },
  };
}

/** The part of a quota that drafts of callers with `preview` alone may store: the weakest credential leaves room for the others. */
export function draftQuota({ bytes, objects }: Amount): Amount {
  return { bytes: Math.floor(bytes / 2), objects: Math.floor(objects / 2) };
}

/**
 * The condition that a project or an account has room for `more`. A condition cannot add, so its limit is lower by
 * `more`.
 */
export function roomCondition(quota: Amount, { drafts, ...more }: CountedAmount) {
  const used = atMost({ bytes: "usedBytes", objects: "usedObjects" }, quota, more);
  if (drafts === undefined) return used;
  const ofDrafts = atMost({ bytes: "draftBytes", objects: "draftObjects" }, draftQuota(quota), drafts);
  return {
    condition: `${used.condition} AND ${ofDrafts.condition}`,
    values: { ...used.values, ...ofDrafts.values },
  };
}

function atMost(names: Readonly<Record<keyof Amount, string>>, quota: Amount, more: Amount) {
  const units = ["bytes", "objects"] as const;
  return {
    condition: units
      .map((unit) => `(attribute_not_exists(${names[unit]}) OR ${names[unit]} <= :most_${names[unit]})`)
      .join(" AND "),
    values: Object.fromEntries(units.map((unit) => [`:most_${names[unit]}`, quota[unit] - more[unit]])),
  };
}

/** Counts more for an account, if it has room. */
export function countInAccount(accountKey: string, more: CountedAmount): Write<Ledger> {
  const condition = roomCondition(environment.accountQuota(), more);
  // The person of a deleted account may have signed up again.
  return ledgerWrite(accountKey, { more, condition, staysForGood: true });
}

/** Counts less for an account. */
export function countOutOfAccount(accountKey: string, { drafts, ...used }: CountedAmount): Write<Ledger> {
  const more = { ...less(used), ...(drafts && { drafts: less(drafts) }) };
  return ledgerWrite(accountKey, { more, condition: itemExists });
}

function less({ bytes, objects }: Amount): Amount {
  return { bytes: -bytes, objects: -objects };
}

interface LedgerChange {
  /** Amount that is added; a negative one is subtracted. */
  readonly more: CountedAmount;
  readonly condition: Condition | undefined;
  /** Whether a ledger that would expire is kept for good from now on. */
  readonly staysForGood?: boolean;
}

/** Changes what is counted of an account. */
function ledgerWrite(accountKey: string, { more, condition, staysForGood }: LedgerChange): Write<Ledger> {
  const { expression, ...counted } = counting(more);
  const removal = staysForGood ? " REMOVE #ttl" : "";
  return change(keys.ledger(accountKey), `ADD ${expression}${removal}`, counted, condition);
}

/** Lets the ledger of a deleted account expire; until then the sweeper still changes it. */
export async function expireLedger(accountKey: string, ttl: number): Promise<void> {
  await updateItem(keys.ledger(accountKey), { ttl }, itemExists);
}

/** Lets what is counted for an account expire no more: its person has come back, and has a project again. */
export function keepLedger(accountKey: string): Write<Ledger> {
  return change(keys.ledger(accountKey), "REMOVE #ttl");
}

/** Findings of a sweep about a project. */
export interface SweepFindings extends CountedAmount {
  /** Number of its open releases. */
  readonly openReleases: number;
}

/**
 * Sets what is counted of a project to what the sweeper has found, and changes its account's ledger by the difference.
 * The project gets a new epoch, so a request that is about to open a release reads it again.
 *
 * @param project as it was read before its releases were, with the epoch of the last deletion intent since then
 * @returns whether it was set: not if the owner changed, a deletion intent was written, or anything was opened meanwhile
 */
export async function setLedger(project: Project, findings: SweepFindings): Promise<boolean> {
  const { usedBytes = 0, usedObjects = 0, openReleases = 0 } = project;
  const drafts = moreDrafts(project, findings);
  const more = { bytes: findings.bytes - usedBytes, objects: findings.objects - usedObjects, drafts };
  const isSame = more.bytes === 0 && more.objects === 0 && drafts === undefined;
  if (isSame && findings.openReleases === openReleases) return true;
  const isLess = [more, drafts].some((each) => each && (each.bytes < 0 || each.objects < 0));
  const condition = isLess ? itemExists : undefined;
  const account = isSame ? undefined : ledgerWrite(project.ownerKey, { more, condition });
  const failed = await trySetting(project, findings, account);
  // The ledger of an account that was deleted long ago is gone.
  return (failed?.name === "account" ? await trySetting(project, findings) : failed) === undefined;
}

/** Difference between the drafts that are counted now and before; undefined: none. */
function moreDrafts({ draftBytes = 0, draftObjects = 0 }: Project, { drafts }: SweepFindings): Amount | undefined {
  const more = { bytes: (drafts?.bytes ?? 0) - draftBytes, objects: (drafts?.objects ?? 0) - draftObjects };
  return more.bytes === 0 && more.objects === 0 ? undefined : more;
}

const setting = "SET usedBytes = :bytes, usedObjects = :objects, epoch = :next";

async function trySetting(project: Project, findings: SweepFindings, account?: Write<Ledger>) {
  const { slug, ownerKey, opened, epoch, openReleases = 0, usedBytes, usedObjects, draftBytes, draftObjects } = project;
  const counted = { usedBytes, usedObjects, draftBytes, draftObjects };
  const unchanged = asRead({ ownerKey, deleting: undefined, opened, epoch, ...counted });
  const { bytes, objects } = findings;
  const drafts = moreDrafts(project, findings);
  const more = `ADD openReleases :moreOpen${drafts ? ", draftBytes :draftBytes, draftObjects :draftObjects" : ""}`;
  return await tryTransact({
    // Releases that go live meanwhile are counted too, so the number of open ones changes by the difference.
    project: change(keys.project(slug), `${setting} ${more}`, unchanged, {
      values: {
        ...counting({ bytes, objects, drafts }).values,
        ":next": (epoch ?? 0) + 1,
        ":moreOpen": findings.openReleases - openReleases,
      },
    }),
    account,
  });
}
