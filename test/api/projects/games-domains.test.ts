import { beforeEach, expect, test } from "@jest/globals";
import { publicIssuers } from "../../../contract/api/ci-jobs.ts";
import { suspendAccount } from "../../../functions/domain/accounts/suspensions.ts";
import { type PointerRepair, repairPointers } from "../../../functions/domain/projects/pointer-repair.ts";
import { bringToEdge, isStoreFilling, writePointers } from "../../../functions/domain/projects/pointers.ts";
import { createProject } from "../../../functions/domain/projects/projects.ts";
import { createPendingProject } from "../../../functions/domain/publishers/pending-publishers.ts";
import { publishRelease } from "../../../functions/domain/releases/publishing.ts";
import { projectView } from "../../../functions/http/views.ts";
import { accountKey, keys, pointerPartition } from "../../../functions/table/keys.ts";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import { localStoreArn } from "../../../local/pointers/store-server.ts";
import { operate } from "../../../tools/operator.ts";
import { githubClaims, newRepository } from "../../support/identity/jobs.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { secondStoreArn } from "../../support/service/games-store.ts";
import { newProject, newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";
import { itemsOf, storedItem } from "../../support/table/stored.ts";

/*
 * A stage with two games domains. The functions run in this process, because the service has one.
 */

const service = useEdgeService();
const ada = useOwner(service);
const signal = () => AbortSignal.timeout(30_000);

beforeEach(() => {
  service.games.fault = undefined;
  haveDomains("one.example", "two.example");
});

function haveDomains(...domains: string[]): void {
  process.env["GAMES_DOMAIN"] = domains.join(",");
  process.env["GAMES_STORE_ARN"] = [localStoreArn, secondStoreArn].slice(0, domains.length).join(",");
}

const key = () => accountKey(service.issuer, ada.uid);

async function account() {
  return (await storedItem(service, keys.account(key()))) as never;
}

async function actorOf(slug: string) {
  const project = await readProject(slug);
  if (project === undefined) throw new Error(`There is no ${slug}`);
  return { kind: "idToken", account: await account(), project } as const;
}

/** A project that is created while the stage has both domains, with a live release. */
async function publishedInSecond(): Promise<string> {
  const slug = newSlug();
  await createProject(
    { kind: "idToken", account: await account() },
    { slug, name: slug, description: null },
    new Date(),
  );
  expect(await makeLive(slug)).toBe("updated");
  return slug;
}

async function makeLive(slug: string) {
  const releaseId = await readyRelease(ada, slug, newSlug());
  return (await publishRelease(await actorOf(slug), { releaseId, expectCurrent: undefined }, new Date())).edge;
}

/** What the stores of both domains have of a project. */
function stored(slug: string) {
  return [service.games.store, service.games.second].map((store) => store.edge(0).get(slug)?.[0]);
}

test("a project plays below the domain that was the last one when it was created, and only that domain's store has it", async () => {
  const second = await publishedInSecond();
  expect(await makeLive(ada.slug)).toBe("updated");
  const urls = await Promise.all([ada.slug, second].map(async (slug) => projectView((await actorOf(slug)).project)));
  expect(urls.map(({ play_url }) => play_url)).toEqual([
    `https://${ada.slug}.one.example/`,
    `https://${second}.two.example/`,
  ]);
  expect([stored(ada.slug), stored(second)]).toEqual([
    ["l", undefined],
    [undefined, "l"],
  ]);
});

test("a project that a CI job creates plays below the last domain too", async () => {
  const [slug, repository] = [newSlug(), newRepository()];
  const publisher = {
    provider: "github",
    repository_id: repository.id,
    repository_owner_id: repository.ownerId,
    workflow: ".github/workflows/publish.yml",
  };
  expect((await ada.post("/publishers", { project: slug, publisher })).status).toBe(200);
  const claims = githubClaims(repository);
  const issuer = publicIssuers.github;
  const job = {
    provider: "github",
    issuer,
    id: String(claims["jti"]),
    expiresAt: Number(claims["exp"]),
    claims,
  } as const;
  expect(await createPendingProject(slug, job, new Date())).toBe(true);
  expect(projectView((await actorOf(slug)).project).play_url).toBe(`https://${slug}.two.example/`);
});

test("one change of projects in both domains reaches both stores, and again where one of them failed", async () => {
  const second = await publishedInSecond();
  await makeLive(ada.slug);
  service.games.fault = (operation) => {
    if (operation !== "UpdateKeys") return undefined;
    // The first store takes it, the second one does not.
    service.games.fault = () => new AmazonError("InternalServerException", 500, "Down");
    return undefined;
  };
  expect(await suspendAccount(key(), "spam", new Date())).toBe("waiting");
  expect(await itemsOf(service, pointerPartition)).not.toEqual([]);
  service.games.fault = undefined;
  await writePointers(signal());
  expect([stored(ada.slug), stored(second)]).toEqual([
    ["s", undefined],
    [undefined, "s"],
  ]);
  expect(await itemsOf(service, pointerPartition)).toEqual([]);
});

test("a writer retries if another has written one of the stores since it read", async () => {
  const second = await publishedInSecond();
  const before = service.games.operations.length;
  let writes = 0;
  service.games.fault = (operation) => {
    if (operation !== "UpdateKeys") return undefined;
    writes += 1;
    const store = service.games.second;
    if (writes === 1) store.update(store.state.etag, { Puts: [{ Key: "-", Value: newSlug() }] });
    return undefined;
  };
  expect(await makeLive(second)).toBe("updated");
  expect(service.games.operations.slice(before).filter((operation) => operation === "UpdateKeys")).toHaveLength(2);
});

test("the store of the last domain is the one that fills up", async () => {
  const fill = (store: typeof service.games.store) => {
    for (let first = 0; store.state.sizeBytes < 4_100_000; first += 50)
      store.update(store.state.etag, {
        Puts: Array.from({ length: 50 }, (_, index) => ({ Key: `full-${first + index}`, Value: "x".repeat(1_000) })),
      });
  };
  fill(service.games.store);
  expect(await isStoreFilling(signal())).toBe(false);
  haveDomains("one.example");
  expect(await isStoreFilling(signal())).toBe(true);
  const { store } = service.games;
  for (let first = 0; store.state.itemCount > 50; first += 50)
    store.update(store.state.etag, {
      Deletes: Array.from({ length: 50 }, (_, index) => ({ Key: `full-${first + index}` })),
    });
});

test("the operator knows a play URL below each domain", async () => {
  for (const domain of ["one.example", "two.example"])
    expect(await operate(["show", "project", `https://${ada.slug}.${domain}/x`], new Date())).toMatchObject({
      slug: ada.slug,
    });
  await expect(operate(["show", "project", `https://${ada.slug}.three.example/`], new Date())).rejects.toThrow(
    "this stage has <slug>.one.example, <slug>.two.example",
  );
});

/** Every pointer of both stores, without the mark of the last write. */
async function everyPointer() {
  const of = (store: typeof service.games.store) =>
    store
      .page(new URLSearchParams({ MaxResults: "50" }))
      .Items.filter(({ Key }) => Key !== "-")
      .map(({ Key, Value }) => [Key, Value]);
  return [of(service.games.store), of(service.games.second)].map((entries) => Object.fromEntries(entries));
}

async function repaired(after?: string) {
  let last: PointerRepair | undefined;
  for await (last of repairPointers(signal(), after));
  return last;
}

async function emptied() {
  for (const store of [service.games.store, service.games.second]) {
    const { Items } = store.page(new URLSearchParams({ MaxResults: "50" }));
    store.update(store.state.etag, { Deletes: Items.map(({ Key }) => ({ Key })) });
  }
}

const isOfProject = (key: string) => !key.includes("--");

/** A stage with every kind of project. */
async function everyKind() {
  const second = await publishedInSecond();
  await makeLive(ada.slug);
  const [never, unpublished, suspended, deleted, takenDown] = await Promise.all(
    Array.from({ length: 5 }, () => newProject(ada)),
  );
  for (const slug of [unpublished, suspended, deleted, takenDown])
    await publish(ada, String(slug), { "index.html": "1" });
  await ada.post(`/projects/${unpublished}/unpublish`);
  await ada.delete(`/projects/${deleted}`);
  await operate(["suspend", "project", String(suspended), "--reason", "spam"], new Date());
  await operate(["takedown", String(takenDown), "--reason", "spam"], new Date());
  await ada.post(`/projects/${ada.slug}/releases/${await readyRelease(ada, ada.slug, "next")}/preview`);
  await writePointers(signal());
  return { second, never, unpublished, suspended, deleted, takenDown };
}

test("repairing pointers fills stores that have nothing, but for what nobody played, and changes nothing that is right", async () => {
  const { second, never, unpublished, deleted, suspended, takenDown } = await everyKind();
  const before = await everyPointer();
  const last = await repaired();
  expect(await everyPointer()).toEqual(before);
  await emptied();
  const output = (await operate(["repair", "pointers"], new Date())) as { projects: number; written: number };
  expect(output.projects).toBe(last?.projects);
  const after = await everyPointer();
  expect(output.written).toBe(after.flatMap((entries) => Object.keys(entries)).filter(isOfProject).length);
  expect(output.written).toBeLessThan(output.projects);
  expect(await repaired(last?.after)).toBeUndefined();
  const ended = [never, unpublished, deleted].map(String);
  const wanted = before.map((entries) =>
    Object.fromEntries(Object.entries(entries).filter(([slug]) => !ended.includes(slug))),
  );
  expect(after).toEqual(wanted);
  expect([after[0]?.[String(suspended)], after[0]?.[String(takenDown)], after[1]?.[second]?.[0]]).toEqual([
    "s",
    "s",
    "l",
  ]);
});

test("repairing pointers takes what a restored table does not have from every store, previews too", async () => {
  await makeLive(ada.slug);
  const digest = "ab".repeat(10);
  for (const store of [service.games.store, service.games.second])
    store.update(store.state.etag, {
      Puts: ["gone-game", `gone-game--${digest}`, `${ada.slug}--${digest}`].map((Key) => ({ Key, Value: "u" })),
    });
  await repaired();
  for (const slug of ["gone-game", `gone-game--${digest}`]) expect(stored(slug)).toEqual([undefined, undefined]);
  expect(service.games.store.edge(0).get(`${ada.slug}--${digest}`)).toBeUndefined();
  expect(stored(ada.slug)[0]).toBe("l");
});

test("a repair that is stopped tells where to go on, and what it had begun is written by the schedule", async () => {
  const slugs = [ada.slug, await publishedInSecond()].toSorted();
  await makeLive(ada.slug);
  await emptied();
  service.games.fault = (operation) =>
    operation === "UpdateKeys" ? new AmazonError("InternalServerException", 500, "Down") : undefined;
  // From just before the second, so that it is in the first part, whatever lies between them.
  await expect(repaired(slugs[1]?.slice(0, -1))).rejects.toThrow("Down");
  service.games.fault = undefined;
  await writePointers(signal());
  expect(stored(String(slugs[1])).filter(Boolean)).toEqual(["l"]);
  expect(stored(String(slugs[0])).filter(Boolean)).toEqual([]);
  await repaired();
  expect(stored(String(slugs[0])).filter(Boolean)).toEqual(["l"]);
  expect(await bringToEdge(slugs, new Date())).toBe("updated");
});

test("a store that refuses a pointer stops the repair, which names the project", async () => {
  await makeLive(ada.slug);
  service.games.fault = (operation) =>
    operation === "UpdateKeys" ? new AmazonError("ServiceQuotaExceededException", 402, "Full") : undefined;
  await expect(repaired()).rejects.toThrow("refuses");
});
