import { beforeEach, expect, test } from "@jest/globals";
import { type PointerRepair, repairPointers } from "../../../functions/domain/projects/pointer-repair.ts";
import { bringToEdge, writePointers } from "../../../functions/domain/projects/pointers.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { newProject, publish, readyRelease } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";

const service = useEdgeService();
const ada = useOwner(service);
const signal = () => AbortSignal.timeout(30_000);

beforeEach(() => {
  service.games.fault = undefined;
});

const stored = (key: string) => service.games.store.edge(0).get(key)?.[0];

/** A project with a live release. */
async function published(slug?: string): Promise<string> {
  const project = slug ?? (await newProject(ada));
  await publish(ada, project, { "index.html": project });
  return project;
}

/** Every pointer of the store, without the mark of the last write. */
function everyPointer(): Record<string, string> {
  const { Items } = service.games.store.page(new URLSearchParams({ MaxResults: "50" }));
  return Object.fromEntries(Items.filter(({ Key }) => Key !== "-").map(({ Key, Value }) => [Key, Value]));
}

async function repaired(after?: string) {
  let last: PointerRepair | undefined;
  for await (last of repairPointers(signal(), after));
  return last;
}

function empty(): void {
  const { store } = service.games;
  const { Items } = store.page(new URLSearchParams({ MaxResults: "50" }));
  store.update(store.state.etag, { Deletes: Items.map(({ Key }) => ({ Key })) });
}

const isOfProject = (key: string) => !key.includes("--");

/** A stage with every kind of project. */
async function everyKind() {
  await published(ada.slug);
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
  return { never, unpublished, suspended, deleted, takenDown };
}

test("repairing pointers fills an empty store, but for what was never published, and changes nothing that is right", async () => {
  const { never, unpublished, deleted, suspended, takenDown } = await everyKind();
  const before = everyPointer();
  const last = await repaired();
  expect(everyPointer()).toEqual(before);
  empty();
  const output = (await operate(["repair", "pointers"], new Date())) as { projects: number; written: number };
  expect(output.projects).toBe(last?.projects);
  const after = everyPointer();
  expect(output.written).toBe(Object.keys(after).filter(isOfProject).length);
  expect(output.written).toBeLessThan(output.projects);
  expect(await repaired(last?.after)).toBeUndefined();
  const ended = [never, unpublished, deleted].map(String);
  const expected = Object.fromEntries(Object.entries(before).filter(([slug]) => !ended.includes(slug)));
  expect(after).toEqual(expected);
  expect([after[String(suspended)], after[String(takenDown)]]).toEqual(["s", "s"]);
});

test("repairing pointers deletes what a restored table does not have, previews too", async () => {
  await published(ada.slug);
  const gone = ["gone-game", `gone-game--${"ab".repeat(10)}`, `${ada.slug}--${"ab".repeat(10)}`];
  const { store } = service.games;
  store.update(store.state.etag, { Puts: gone.map((Key) => ({ Key, Value: "u" })) });
  await repaired();
  expect(gone.map(stored)).toEqual([undefined, undefined, undefined]);
  expect(stored(ada.slug)).toBe("l");
});

test("a repair that is stopped tells where to go on, and what it had begun is written by the schedule", async () => {
  const slugs = [await published(ada.slug), await published()].toSorted();
  empty();
  service.games.fault = (operation) =>
    operation === "UpdateKeys" ? new AmazonError("InternalServerException", 500, "Down") : undefined;
  // From just before the second, so that it is in the first part, whatever lies between them.
  await expect(repaired(slugs[1]?.slice(0, -1))).rejects.toThrow("Down");
  service.games.fault = undefined;
  await writePointers(signal());
  expect(stored(String(slugs[1]))).toBe("l");
  expect(stored(String(slugs[0]))).toBeUndefined();
  await repaired();
  expect(stored(String(slugs[0]))).toBe("l");
  expect(await bringToEdge({ slugs }, new Date())).toBe("updated");
});

test("a store that refuses a pointer stops the repair, which names the project", async () => {
  await published(ada.slug);
  service.games.fault = (operation) =>
    operation === "UpdateKeys" ? new AmazonError("ValidationException", 400, "Too long") : undefined;
  await expect(repaired()).rejects.toThrow("refuses");
});
