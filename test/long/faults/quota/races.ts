import type { Amount } from "../../../../functions/entities/project.ts";
import { keys } from "../../../../functions/table/keys.ts";
import type { Developer } from "../../../support/service/actors.ts";
import type { TestService } from "../../../support/service/service.ts";
import { newProject } from "../../../support/service/steps.ts";
import { setAttribute, storedItem } from "../../../support/table/stored.ts";
import { sum } from "./ledgers.ts";
import {
  type Ending,
  handingOver,
  keyOf,
  manifestAmount,
  nextFiles,
  nextFolder,
  nothing,
  open,
  type PreparedOperation,
  quota,
  sweeping,
  withLiveRelease,
} from "./operations.ts";

/** Two operations at the same time, of which the first waits somewhere until the second has ended. */
export interface Race {
  readonly first: PreparedOperation;
  readonly second: () => Promise<Ending>;
  /** The project that only the requests of the second name; undefined: there is none. */
  readonly secondSlug?: string;
  /** What open releases lack, by how the two ended; undefined: they must not end so. */
  lackingAfter(first: Ending, second: Ending): Amount | undefined;
}

export interface NamedRace {
  readonly name: string;
  prepare(service: TestService): Promise<Race>;
}

/** How much room is left for two openings, of which one fits: for both manifests and the files of one. */
async function roomForOne(): Promise<Amount> {
  return sum([await manifestAmount(nextFolder("a")), await manifestAmount(nextFolder("b")), nextFiles]);
}

/** Counts more for a project and its account than is stored. */
async function count(service: TestService, ada: Developer, slug: string, more: Amount): Promise<void> {
  for (const key of [keys.project(slug), keys.ledger(keyOf(service, ada))]) {
    const { usedBytes = 0, usedObjects = 0 } = (await storedItem(service, key)) ?? {};
    await setAttribute(service, key, "usedBytes", Number(usedBytes) + more.bytes);
    await setAttribute(service, key, "usedObjects", Number(usedObjects) + more.objects);
  }
}

async function bytesLeft(ada: Developer): Promise<number> {
  return quota.account.bytes - (await ada.get("/me")).body.storage.bytes;
}

const oneFits = (first: Ending, second: Ending) =>
  [first, second].toSorted().join() === "done,refused" ? nextFiles : undefined;

const inOneProject: NamedRace = {
  name: "two openings in a project that has room for one",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const { usedBytes } = (await storedItem(service, keys.project(slug))) ?? {};
    const bytes = quota.project.bytes - Number(usedBytes) - (await roomForOne()).bytes;
    await count(service, ada, slug, { bytes, objects: 0 });
    const act = () => open(ada, slug, nextFolder("a"));
    const first = { owners: [ada], slugs: [slug], act, leftovers: nothing, lacking: nothing };
    return { first, second: () => open(ada, slug, nextFolder("b")), lackingAfter: oneFits };
  },
};

const inOneAccount: NamedRace = {
  name: "openings in two projects of an account that has room for one",
  prepare: async (service) => {
    const { ada, slug } = await withLiveRelease(service);
    const secondSlug = await newProject(ada);
    const small = { "index.html": nextFolder("b")["index.html"] as string };
    const room = sum([await manifestAmount(nextFolder("a")), await manifestAmount(small), nextFiles]);
    const bytes = (await bytesLeft(ada)) - room.bytes;
    await count(service, ada, await newProject(ada), { bytes, objects: 0 });
    const act = () => open(ada, slug, nextFolder("a"));
    const first = { owners: [ada], slugs: [slug, secondSlug], act, leftovers: nothing, lacking: nothing };
    return { first, second: () => open(ada, secondSlug, small), secondSlug, lackingAfter: oneFits };
  },
};

const whileSwept: NamedRace = {
  name: "an opening while the project is swept",
  prepare: async (service) => {
    const first = await sweeping.prepare(service);
    const [[ada], [slug]] = [first.owners as [Developer], first.slugs as [string]];
    const lackingAfter = (_: Ending, second: Ending) => (second === "done" ? bothFiles : undefined);
    return { first, second: () => open(ada, slug, nextFolder("n")), lackingAfter };
  },
};

/** A folder of which nothing is live. */
const bothFiles: Amount = { bytes: 2_500, objects: 2 };

const whileHandedOver: NamedRace = {
  name: "an opening while the project is handed over",
  prepare: async (service) => {
    const first = await handingOver.prepare(service);
    const [[ada], [slug]] = [first.owners as [Developer], first.slugs as [string]];
    const lackingAfter = (accepted: Ending, second: Ending) => {
      if (accepted !== "done") return undefined;
      // Once it is handed over it is not Ada's any more.
      return second === "done" ? nextFiles : nothing;
    };
    return { first, second: () => open(ada, slug, nextFolder("n")), lackingAfter };
  },
};

export const races: readonly NamedRace[] = [inOneProject, inOneAccount, whileSwept, whileHandedOver];
