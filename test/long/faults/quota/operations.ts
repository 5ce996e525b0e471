import { sweepProject } from "../../../../functions/domain/sweep/project.ts";
import type { Amount } from "../../../../functions/entities/project.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../../support/service/actors.ts";
import type { CheckedResponse } from "../../../support/service/checked-request.ts";
import type { TestService } from "../../../support/service/service.ts";
import { type Folder, manifestOf, newProject, openRelease, publish } from "../../../support/service/steps.ts";
import { endLife, setAttribute } from "../../../support/table/stored.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/** What the tests' service allows: a few small files reach it. */
export const quota = { project: { bytes: 12_000, objects: 30 }, account: { bytes: 14_000, objects: 40 } };

/** How an attempt ended; "failed": the caller does not know whether it happened. */
export type Ending = "done" | "refused" | "failed";

/** Something that changes a ledger, or must not, with accounts and projects of its own. */
export interface PreparedOperation {
  readonly owners: readonly Developer[];
  readonly slugs: readonly string[];
  /** @param attempt from 0 on: each is made at a later time */
  act(attempt: number): Promise<Ending>;
  /** What each attempt that fails may leave counted until the sweep. */
  readonly leftovers: Amount;
  /** What open releases lack at the end. */
  readonly lacking: Amount;
  /** It ends with a sweep. */
  readonly isSwept?: true;
}

export interface Operation {
  readonly name: string;
  /** How it ends without a fault. */
  readonly ending: Ending;
  prepare(service: TestService): Promise<PreparedOperation>;
}

export const nothing: Amount = { bytes: 0, objects: 0 };
const text = (length: number, character: string) => character.repeat(length);

/** What is live, and what is opened beside it: one file is new. */
const live: Folder = { "index.html": text(1_000, "l"), "kept.js": text(500, "k") };
export const nextFolder = (character = "n"): Folder => ({ ...live, "index.html": text(2_000, character) });
/** What such a folder lacks. */
export const nextFiles: Amount = { bytes: 2_000, objects: 1 };

/** The manifest of a folder. */
export async function manifestAmount(folder: Folder): Promise<Amount> {
  return { bytes: (await Manifest.of(manifestOf(folder)).pack()).byteLength, objects: 1 };
}

export const keyOf = (service: TestService, { uid }: Person) => accountKey(service.issuer, uid);

export async function withLiveRelease(service: TestService, folder = live) {
  const ada = await actorsOf(service).developer();
  const slug = await newProject(ada);
  await publish(ada, slug, folder);
  return { ada, slug };
}

function endingOf({ status, body }: CheckedResponse): Ending {
  if (status < 300) return "done";
  return status === 409 && body.code === "quota_exceeded" ? "refused" : "failed";
}

export function open(ada: Developer, slug: string, folder: Folder): Promise<Ending> {
  return ada.post(`/projects/${slug}/releases`, { files: manifestOf(folder) }).then(endingOf);
}

/** Sweeps an hour later in each attempt, when the lease of the one before has ended. */
export async function sweep(slug: string, attempt: number): Promise<Ending> {
  const swept = await sweepProject(slug, sweepOf({ later: attempt * 3_600_000 })).catch(() => undefined);
  return swept?.outcome === "done" ? "done" : "failed";
}

const opening: Operation = {
  name: "opening",
  ending: "done",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const leftovers = await manifestAmount(nextFolder());
    const act = () => open(ada, slug, nextFolder());
    return { owners: [ada], slugs: [slug], act, leftovers, lacking: nextFiles };
  },
};

const refusedOpening: Operation = {
  name: "an opening that is refused",
  ending: "refused",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const large = { "index.html": text(quota.project.bytes, "x") };
    return { owners: [ada], slugs: [slug], act: () => open(ada, slug, large), leftovers: nothing, lacking: nothing };
  },
};

const publishing: Operation = {
  name: "publishing",
  ending: "done",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const { id } = (await openRelease(ada, slug, nextFolder())).body.release;
    const act = () => ada.post(`/projects/${slug}/releases/${id}/publish`).then(endingOf);
    return { owners: [ada], slugs: [slug], act, leftovers: nothing, lacking: nothing };
  },
};

export const handingOver: Operation = {
  name: "handing over",
  ending: "done",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const grace = await ada.otherDeveloper();
    await publish(grace, await newProject(grace), live);
    await ada.post(`/projects/${slug}/transfer`, { to: grace.uid });
    const accept = async (): Promise<Ending> => {
      const response = await grace.post(`/projects/${slug}/transfer/acceptance`);
      // An attempt before has succeeded, whatever became of its response.
      const isGraces = (await grace.get(`/projects/${slug}/releases`)).status === 200;
      return response.status === 404 && isGraces ? "done" : endingOf(response);
    };
    return { owners: [ada, grace], slugs: [slug], act: accept, leftovers: nothing, lacking: nothing };
  },
};

/** Old releases end, and so does one that was opened and given up. */
export const sweeping: Operation = {
  name: "sweeping what was given up",
  ending: "done",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service, { "index.html": text(300, "1") });
    await publish(ada, slug, { "index.html": text(400, "2") });
    const { id } = (await openRelease(ada, slug, { "index.html": text(500, "3") })).body.release;
    await endLife(service, keys.release(slug, id), -61 * 60);
    const act = (attempt: number) => sweep(slug, attempt);
    return { owners: [ada], slugs: [slug], act, leftovers: nothing, lacking: nothing, isSwept: true };
  },
};

const sweepingDeleted: Operation = {
  name: "sweeping a deleted project",
  ending: "done",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service, { "index.html": text(300, "1") });
    await ada.delete(`/projects/${slug}`);
    await setAttribute(service, keys.project(slug), "deletedAt", "2020-01-01T00:00:00.000Z");
    const act = (attempt: number) => sweep(slug, attempt);
    return { owners: [ada], slugs: [slug], act, leftovers: nothing, lacking: nothing, isSwept: true };
  },
};

export const operations: readonly Operation[] = [
  opening,
  refusedOpening,
  publishing,
  handingOver,
  sweeping,
  sweepingDeleted,
];
