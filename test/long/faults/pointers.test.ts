import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { reinstateAccount, suspendAccount } from "../../../functions/domain/accounts/suspensions.ts";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { handler } from "../../../functions/jobs/write-pointers.ts";
import { accountKey, pointerPartition } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import type { Developer } from "../../support/service/actors.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { handOver, newProject, newSlug, offer, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";
import { itemsOf } from "../../support/table/stored.ts";

const service = useEdgeService();
const ada = useOwner(service);
let edge: ReturnType<typeof service.games.store.edge>;
let path: string;

beforeEach(() => {
  // It is not documented whether CloudFront does; other suites have a store that does not.
  service.games.store.refusesAbsentKeys = true;
  path = `/projects/${ada.slug}`;
  edge = service.games.store.edge(0);
  service.games.operations.length = 0;
});

afterEach(async () => {
  jest.restoreAllMocks();
  service.games.fault = undefined;
  await writePointers(AbortSignal.timeout(10_000));
});

const pointer = (slug = ada.slug) => edge.get(slug);
/** The pointer's releases and owner; the rest of it has random characters. */
const releases = () => pointer()?.split(".").slice(0, 5).join(".");
const places = () => pointer()?.split(".").slice(5) ?? [];
const waiting = () => itemsOf(service, pointerPartition);
const full = () => new AmazonError("ServiceQuotaExceededException", 402, "The store is full");
const down = () => new AmazonError("InternalServerException", 500, "Down");
const keyOf = ({ uid }: Developer) => accountKey(service.issuer, uid);

async function published(files: Readonly<Record<string, string>> = { "index.html": "1" }) {
  const id = await publish(ada, ada.slug, files);
  return { id, live: /^l\.([\w-]{43})\./.exec(pointer() ?? "")?.[1] ?? "" };
}

describe("the games' edge gets, with the response,", () => {
  test("what was published, what was live before, and a roll-back", async () => {
    expect(pointer()).toBeUndefined();
    const first = await published();
    expect(releases()).toBe(`l.${first.live}...`);
    expect(places()).toEqual([expect.stringMatching(/^[\w-]{8}$/)]);
    const [era] = places();
    const second = await published({ "index.html": "2" });
    expect(second.live).not.toBe(first.live);
    expect(releases()).toBe(`l.${second.live}.${first.live}..1`);
    await ada.post(`${path}/releases/${first.id}/publish`, {});
    expect(releases()).toBe(`l.${first.live}.${second.live}..`);
    // Each release since the first one has a mark and its filter; the second one has one of the two changes.
    expect(places()).toEqual([
      `${era}1`,
      ...Array.from({ length: 2 }, () => expect.stringMatching(/^[\w-]{4}[0-o]+$/)),
    ]);
    expect(await waiting()).toEqual([]);
  });

  test("that a release was withdrawn from its visits", async () => {
    const first = await published();
    const second = await published({ "index.html": "2" });
    const third = await published({ "index.html": "3" });
    expect((await ada.post(`${path}/releases/${second.id}/withdraw`)).body.edge).toBe("updated");
    expect(releases()).toBe(`l.${third.live}.${first.live}..`);
  });

  test("that a project was unpublished, deleted and restored", async () => {
    await published();
    expect((await ada.post(`${path}/unpublish`)).body.edge).toBe("updated");
    expect(pointer()).toMatch(/^u<bdi>/);
    const { live } = await published({ "index.html": "2" });
    expect((await ada.delete(path)).body.edge).toBe("updated");
    expect(pointer()).toBeUndefined();
    expect((await ada.post(`${path}/restore`)).body.edge).toBe("updated");
    expect(releases()).toBe(`l.${live}...`);
  });

  test("that a project has another owner, and since when", async () => {
    const { live } = await published();
    const grace = await ada.otherDeveloper();
    const { body } = await handOver(ada, ada.slug, grace);
    expect(body).toMatchObject({ slug: ada.slug, edge: "updated" });
    const [, , , since = ""] = pointer()?.split(".") ?? [];
    expect(releases()).toBe(`l.${live}..${since}.`);
    expect(Math.abs(Number.parseInt(since, 36) - Date.now())).toBeLessThan(60_000);
  });

  test("that the operator suspended, reinstated and took down a project", async () => {
    const { live } = await published();
    expect(await operate(["suspend", "project", ada.slug, "--reason", "spam"], new Date())).toMatchObject({
      edge: "updated",
    });
    expect(pointer()).toBe("s");
    await operate(["restore", "project", ada.slug], new Date());
    expect(releases()).toBe(`l.${live}...`);
    await operate(["takedown", ada.slug, "--reason", "malware"], new Date());
    expect(pointer()).toBe("s");
  });

  test("that an account with all its projects was suspended and reinstated, by a clock that is ahead", async () => {
    const slugs = [
      ada.slug,
      await newProject(ada),
      await newProject(ada),
      await newProject(ada),
      await newProject(ada),
    ];
    for (const slug of slugs) await publish(ada, slug, { "index.html": slug });
    const ahead = new Date(Date.now() + 60_000);
    expect(await suspendAccount(keyOf(ada), "spam", ahead)).toBe("updated");
    expect(slugs.map(pointer)).toEqual(slugs.map(() => "s"));
    expect(await reinstateAccount(keyOf(ada), ahead)).toBe("updated");
    expect(slugs.map((slug) => pointer(slug)?.[0])).toEqual(slugs.map(() => "l"));
  });
});

describe("if the store fails", () => {
  test("publishing succeeds, and the schedule brings the pointer later", async () => {
    service.games.fault = down;
    const { live } = await published();
    expect(live).toBe("");
    expect(await waiting()).toHaveLength(1);
    service.games.fault = undefined;
    expect(await writePointers(AbortSignal.timeout(5_000))).toMatchObject({ written: 1, refused: [] });
    expect(pointer()).toMatch(/^l\./);
    expect(await waiting()).toEqual([]);
  });

  test("publishing the live release again brings it", async () => {
    service.games.fault = down;
    const { id } = await published();
    const again = () => ada.post(`${path}/releases/${id}/publish`, {});
    expect((await again()).body.edge).toBe("waiting");
    service.games.fault = undefined;
    expect((await again()).body.edge).toBe("updated");
    expect(pointer()).toMatch(/^l\./);
    service.games.operations.length = 0;
    expect((await again()).body.edge).toBe("updated");
    expect(service.games.operations).toEqual([]);
  });

  test("withdrawing, unpublishing, deleting and restoring succeed and say so, and a repeated request tells when it has them", async () => {
    const { id } = await published();
    await published({ "index.html": "2" });
    const changes = [`/releases/${id}/withdraw`, "/unpublish", "", "/restore"].map(
      (end) => () => (end === "" ? ada.delete(path) : ada.post(path + end)),
    );
    service.games.fault = down;
    for (const change of changes) expect(await change()).toMatchObject({ status: 200, body: { edge: "waiting" } });
    expect(pointer()).toMatch(/^l\./);
    const [withdraw, unpublish, , restore] = changes;
    for (const again of [withdraw, unpublish, restore]) {
      service.games.fault = down;
      expect(await again?.()).toMatchObject({ status: 200, body: { edge: "waiting" } });
    }
    service.games.fault = undefined;
    expect(await restore?.()).toMatchObject({ status: 200, body: { edge: "updated" } });
    expect(pointer()).toMatch(/^u<bdi>/);
  });

  test("handing a project over succeeds and says so", async () => {
    await published();
    const grace = await ada.otherDeveloper();
    const accept = await offer(ada, ada.slug, grace);
    service.games.fault = down;
    expect(await accept()).toMatchObject({ status: 200, body: { edge: "waiting" } });
  });

  test("a store that does not respond delays a request by five seconds at most", async () => {
    service.games.fault = () => new Promise(() => {});
    const began = Date.now();
    await published();
    expect(Date.now() - began).toBeGreaterThan(1_000);
    expect(Date.now() - began).toBeLessThan(9_000);
    expect(await waiting()).toHaveLength(1);
  });

  test("the next change of another project brings it too, in one write", async () => {
    service.games.fault = down;
    await published();
    service.games.fault = undefined;
    service.games.operations.length = 0;
    const other = await newProject(ada);
    await publish(ada, other, { "index.html": "other" });
    expect([pointer()?.[0], pointer(other)?.[0]]).toEqual(["l", "l"]);
    expect(service.games.operations).toEqual(["DescribeKeyValueStore", "UpdateKeys"]);
  });

  test("a full store takes a takedown, though it refuses what waits before it", async () => {
    const { live } = await published();
    const growing = await newProject(ada);
    service.games.fault = (operation) => (operation === "UpdateKeys" ? full() : undefined);
    await publish(ada, growing, { "index.html": "more" });
    // Refuses them together, as a full store does, and takes the first one alone.
    service.games.fault = (operation) => {
      if (operation !== "UpdateKeys") return undefined;
      service.games.fault = undefined;
      return full();
    };
    expect(releases()).toBe(`l.${live}...`);
    await operate(["takedown", ada.slug, "--reason", "malware"], new Date());
    expect(pointer()).toBe("s");
  });
});

describe("the function that the schedule starts", () => {
  /** Runs it with so much time left. @returns what it logs */
  async function run(remainingMilliseconds = 50_000): Promise<{ code: string }[]> {
    const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await handler({}, { awsRequestId: "run", getRemainingTimeInMillis: () => remainingMilliseconds } as Context);
      return write.mock.calls.map(([line]) => JSON.parse(String(line)));
    } finally {
      write.mockRestore();
    }
  }

  test("logs what the store refuses, gives up ten seconds before its timeout, and loses nothing", async () => {
    service.games.fault = down;
    await published();
    service.games.fault = (operation) =>
      operation === "UpdateKeys" ? new AmazonError("ValidationException", 400, "Too long") : undefined;
    expect(await run()).toMatchObject([{ code: "pointer_refused", route: "write-pointers", request_id: "run" }]);
    service.games.fault = () => new Promise(() => {});
    const began = Date.now();
    await expect(run(10_200)).rejects.toThrow();
    expect(Date.now() - began).toBeLessThan(4_000);
    service.games.fault = undefined;
    expect(await run()).toEqual([]);
    expect(pointer()).toMatch(/^l\./);
  });
});

test("of two writers that race, the one whose read is stale retries", async () => {
  await published();
  const { store } = service.games;
  let meanwhile = async () => {};
  service.games.fault = async (operation) => {
    if (operation === "UpdateKeys") await meanwhile();
    return undefined;
  };
  meanwhile = async () => {
    meanwhile = async () => {};
    // Another writer, of another project.
    store.update(store.state.etag, { Puts: [{ Key: "other", Value: newSlug() }] });
  };
  await ada.post(`${path}/unpublish`);
  expect(service.games.operations.filter((operation) => operation === "UpdateKeys")).toHaveLength(3);
  expect(pointer()).toMatch(/^u<bdi>/);
});
