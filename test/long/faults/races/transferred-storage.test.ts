import { beforeEach, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../../support/service/actors.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { handOver, newProject, offer, openRelease, publish } from "../../../support/service/steps.ts";
import { useRecordedService } from "../../../support/service/suite.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import { everyItem, setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * A project's stored bytes count for its next owner (docs/decisions/0036-quota.md).
 */
const service = useRecordedService({ env: { BYTES_PER_ACCOUNT: "10000" } });
const actors = actorsOf(service);
const overtaken = overtakenBy(service);
let ada: Developer;
let grace: Developer;
let slug: string;
let accept: Awaited<ReturnType<typeof offer>>;

beforeEach(async () => {
  [ada, grace] = [await actors.developer(), await actors.otherDeveloper()];
  slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "x".repeat(3_000) });
  accept = await offer(ada, slug, grace);
});

const ledgerOf = ({ uid }: Person) => keys.ledger(accountKey(service.issuer, uid));
const storageOf = async (person: Developer) => (await person.get("/me")).body.storage;
const full = {
  status: 409,
  body: {
    code: "quota_exceeded",
    detail: expect.stringContaining("The account may store 10,000 bytes and uses 9,000"),
  },
};

async function withLedger(person: Person, bytes: number): Promise<void> {
  await setAttribute(service, ledgerOf(person), "usedBytes", bytes);
  await setAttribute(service, ledgerOf(person), "usedObjects", 0);
}

test("from one account's ledger to the other's", async () => {
  const counted = await storageOf(ada);
  expect(counted.bytes).toBeGreaterThan(3_000);
  expect(await accept()).toMatchObject({ status: 200, body: { storage: { bytes: counted.bytes } } });
  expect(await storageOf(grace)).toEqual(counted);
  expect(await storageOf(ada)).toMatchObject({ bytes: 0, objects: 0 });
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test("that of a project in which nothing is stored changes none, and an account without room can have it", async () => {
  const empty = await newProject(ada);
  expect(await handOver(ada, empty, grace)).toMatchObject({ status: 200 });
  expect(await storedItem(service, ledgerOf(grace))).toBeUndefined();
  const another = await newProject(ada);
  await withLedger(grace, 10_001);
  expect(await handOver(ada, another, grace)).toMatchObject({ status: 200 });
});

test("an account without room for it is refused, even if it has lost the room meanwhile", async () => {
  const before = await storageOf(ada);
  expect(await overtaken(accept, () => withLedger(grace, 9_000))).toMatchObject(full);
  expect(await accept()).toMatchObject(full);
  expect(await storageOf(ada)).toEqual(before);
  expect(await storageOf(grace)).toMatchObject({ bytes: 9_000 });
  expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug }]);
});

test.each([
  ["opens a release", async () => void (await openRelease(ada, slug, { "index.html": "y".repeat(2_000) }))],
  [
    "is swept",
    async () => {
      await setAttribute(service, keys.project(slug), "usedObjects", 1);
      await setAttribute(service, ledgerOf(ada), "usedObjects", 1);
    },
  ],
])("if the project %s meanwhile, what is counted then moves", async (_, meanwhile) => {
  expect(await overtaken(accept, meanwhile)).toMatchObject({ status: 200 });
  const { usedBytes, usedObjects } = (await storedItem(service, keys.project(slug))) ?? {};
  expect(await storageOf(grace)).toMatchObject({ bytes: usedBytes, objects: usedObjects });
  expect(await storageOf(ada)).toMatchObject({ bytes: 0, objects: 0 });
});
