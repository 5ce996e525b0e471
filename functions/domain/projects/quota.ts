import type { Amount, CountedAmount, Ledger, Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import type { FileContent } from "../../files/manifests.ts";
import { draftQuota } from "../../table/projects/ledger.ts";
import { ServiceError } from "../service-error.ts";

/*
 * Quota of stored bytes and objects: docs/decisions/0036-quota.md.
 */

/** Amount counted for a project or an account. */
export function usedOf(counted: Pick<Project, "usedBytes" | "usedObjects"> | undefined): Amount {
  return { bytes: counted?.usedBytes ?? 0, objects: counted?.usedObjects ?? 0 };
}

/** The bytes and objects of these files. */
export function amountOf(files: readonly FileContent[]): Amount {
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), objects: files.length };
}

export function plus(a: Amount, b: Amount): Amount {
  return { bytes: a.bytes + b.bytes, objects: a.objects + b.objects };
}

/**
 * Refuses what a project or its account has no room for, as both were read. The transaction that counts it has the same
 * condition.
 *
 * @throws ServiceError `quota_exceeded`, naming whose quota, what is used of it and what is needed
 */
export function assertRoom({ project, ledger }: ProjectUsage, { drafts, ...more }: CountedAmount): void {
  assertWithin("project", { quota: environment.projectQuota(), used: usedOf(project), more });
  assertRoomInAccount(ledger, more);
  if (drafts === undefined) return;
  assertDraftsWithin("project", { quota: environment.projectQuota(), used: draftsOf(project), more: drafts });
  assertDraftsWithin("account", { quota: environment.accountQuota(), used: draftsOf(ledger), more: drafts });
}

function draftsOf(counted: Pick<Project, "draftBytes" | "draftObjects"> | undefined): Amount {
  return { bytes: counted?.draftBytes ?? 0, objects: counted?.draftObjects ?? 0 };
}

/** A project, and the ledger of its account. */
interface ProjectUsage {
  readonly project: Project;
  readonly ledger: Ledger | undefined;
}

/** Whether both have room for it, as {@link assertRoom} reads them. */
export function hasRoom(usage: ProjectUsage, more: CountedAmount): boolean {
  try {
    assertRoom(usage, more);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/**
 * The same for a project that is handed over to an account.
 *
 * @throws ServiceError `quota_exceeded`
 */
export function assertRoomInAccount(ledger: Ledger | undefined, more: Amount): void {
  assertWithin("account", { quota: environment.accountQuota(), used: usedOf(ledger), more });
}

/** Storage counted for an account, and how much may be stored for the account and for each of its projects. */
export interface Storage {
  readonly used: Amount;
  readonly quota: Amount;
  readonly projectQuota: Amount;
}

export function storageOf(ledger: Ledger | undefined): Storage {
  const quota = environment.accountQuota();
  const projectQuota = environment.projectQuota();
  return { used: usedOf(ledger), quota, projectQuota };
}

interface Room {
  readonly quota: Amount;
  readonly used: Amount;
  readonly more: Amount;
}

function assertWithin(whose: "project" | "account", room: Room): void {
  const unit = unitWithoutRoom(room);
  if (unit === undefined) return;
  const { quota, used, more } = room;
  const detail = `The ${whose} may store ${grouped(quota[unit])} ${unit} and uses ${grouped(used[unit])}; this needs ${grouped(more[unit])} more. ${advice[whose]}`;
  throw new ServiceError("quota_exceeded", { detail });
}

/** @throws ServiceError `quota_exceeded` */
function assertDraftsWithin(whose: "project" | "account", { quota, used, more }: Room): void {
  const room = { quota: draftQuota(quota), used, more };
  const unit = unitWithoutRoom(room);
  if (unit === undefined) return;
  const detail = `Drafts of tokens and CI jobs that may only open previews may store ${grouped(room.quota[unit])} ${unit} of the ${whose} and use ${grouped(used[unit])}; this needs ${grouped(more[unit])} more. They are counted anew within a day; a credential that may publish has room.`;
  throw new ServiceError("quota_exceeded", { detail });
}

function unitWithoutRoom({ quota, used, more }: Room): keyof Amount | undefined {
  return (["bytes", "objects"] as const).find((unit) => used[unit] + more[unit] > quota[unit]);
}

function grouped(number: number): string {
  return number.toLocaleString("en");
}

const freed = "What no kept release needs is deleted within a day or two";
const advice = {
  project: `${freed}. Publish less, or try again then.`,
  account: `${freed}, and so is a deleted project when it cannot be restored any more. Delete a project, or try again then.`,
};
