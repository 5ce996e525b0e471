import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Client } from "../contract/client.ts";
import { activatePreview, activateRelease, type Edge, ReleaseReplaced } from "./going-live.ts";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const params = { slug: "game", id: "r2" };

/** A service whose responses to the change say so of the edge, one after the other. @returns the bodies that it got, too */
function serviceWith(edges: readonly (Edge | Error)[]) {
  const left = [...edges];
  const bodies: unknown[] = [];
  const call = async (_: string, { body }: { body: unknown }) => {
    bodies.push(body);
    const edge = left.shift();
    if (edge instanceof Error) throw edge;
    return { release: { id: "r2" }, preview: { release: { id: "r2" }, url: "https://p" }, edge };
  };
  return { client: { call } as unknown as Client, bodies };
}

async function after<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  return await work;
}

test.each<[string, (Edge | Error)[], Edge, requests: number]>([
  ["has it at once", ["updated"], "updated", 1],
  ["has it after a second", ["waiting", "updated"], "updated", 2],
  ["does not get it", ["waiting", "waiting", "waiting", "waiting", "updated"], "waiting", 4],
  ["cannot be asked any more", ["waiting", new Error("412")], "waiting", 2],
])("a release that goes live is requested again until the edge has it: %s", async (_, edges, edge, requests) => {
  const { client, bodies } = serviceWith(edges);
  expect(await after(7_000, activateRelease(client, params, { expectCurrent: "r1" }))).toMatchObject({
    release: { id: "r2" },
    edge,
  });
  expect(bodies).toEqual([{ expect_current: "r1" }, ...Array(requests - 1).fill({ expect_current: "r2" })]);
});

test.each([
  [{ expectCurrent: null }, { expect_current: null }],
  [{ expectCurrent: undefined }, {}],
  [{ expectCurrent: undefined, replacesLaterRun: true }, { replace_later_run: true }],
])("for the place %p the request says %j", async (place, body) => {
  const { client, bodies } = serviceWith(["updated"]);
  await activateRelease(client, params, place);
  expect(bodies).toEqual([body]);
});

test.each<[string, object, boolean]>([
  ["went live and was replaced", { status: "published", published_at: "2126-01-01T00:00:00Z" }, true],
  ["is live", { status: "live", published_at: "2126-01-01T00:00:00Z" }, false],
  ["was live before", { status: "published", published_at: "2020-01-01T00:00:00Z" }, false],
  ["never went live", { status: "open", published_at: null }, false],
])("before a request is repeated, a release that %s is noticed", async (_, release, isReplaced) => {
  const call = async (line: string, given: { beforeRepeat?(): Promise<void> }) => {
    if (line.startsWith("GET")) return { id: "r2", ...release };
    await given.beforeRepeat?.();
    return { release, edge: "updated" };
  };
  const made = activateRelease({ call } as unknown as Client, params, { expectCurrent: "r1" });
  if (isReplaced) await expect(made).rejects.toEqual(new ReleaseReplaced("r2"));
  else await expect(made).resolves.toMatchObject({ edge: "updated" });
});

test("a preview gets a new URL once, however often it is requested again", async () => {
  const { client, bodies } = serviceWith(["waiting", "updated"]);
  const opened = after(7_000, activatePreview(client, params, { name: "pr-1", newUrl: true }));
  expect(await opened).toMatchObject({ playUrl: "https://p", edge: "updated" });
  expect(bodies).toEqual([{ name: "pr-1", new_url: true }, { name: "pr-1" }]);
});
