import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { suspendProject } from "../../../../../functions/domain/accounts/suspensions.ts";
import { entriesOf } from "../../../../../functions/domain/projects/pointers.ts";
import { accountKey } from "../../../../../functions/table/keys.ts";
import { readProject } from "../../../../../functions/table/projects/project-items.ts";
import { removeTrafficLimit, setTrafficLimit } from "../../../../../functions/table/projects/traffic-limit-items.ts";
import { readItems } from "../../../../../functions/table/read.ts";
import { operate } from "../../../../../infra/operator/operator.ts";
import { oneDay } from "../../../../../test/support/one-day.ts";
import { actorsOf } from "../../../../../test/support/service/actors.ts";
import { type Owner, withProject } from "../../../../../test/support/service/operations.ts";
import { play } from "../../../../../test/support/service/play.ts";
import { openRelease, publish } from "../../../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useRecordedService } from "../../../../../test/support/service/suite.ts";
import { opening } from "../../../../../test/support/service/visits.ts";
import { isRead } from "../../../../../test/support/table/dynamodb-recorder.ts";
import { everyItem } from "../../../../../test/support/table/stored.ts";
import { query } from "../../../functions/athena.ts";
import { countDay } from "../../../functions/counting.ts";
import { accountTrafficKey, trafficKey } from "../../../functions/keys.ts";
import { replaceTraffic } from "../../../functions/traffic-items.ts";
import { handler } from "../../../jobs/count-plays.ts";

/*
 * Limit of what players may get of a game in a month, and the responses above it.
 */

const service = useRecordedService({ env: { SVC_STATISTICS_SECONDS: "0" } });
useFunctionEnvironment(service, () => ({
  ...service.optionEnvironment,
  GAMES_DOMAIN: service.gamesDomain,
  TRAFFIC_BYTES_PER_PROJECT: "",
  TRAFFIC_BYTES_PER_ACCOUNT: "",
  TRAFFIC_ONLY_TELL: "",
}));

const today = await oneDay();
const month = today.slice(0, 7);
const nextMonth = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)))).toISOString();
const page = "x".repeat(10_000);
const keyOf = ({ uid }: Owner) => accountKey(process.env["IDP_ISSUER"] ?? "", uid);

const count = () => countDay(today, query, new Date());
/** Those of traffic: a release that goes live is told too. */
const notices = async ({ slug }: Owner) =>
  (await everyItem(service))
    .filter(({ PK, project }) => String(PK).startsWith("OUTBOX#") && project === slug)
    .map(({ type }) => String(type))
    .filter((type) => type.startsWith("project_traffic"));
const opened = async (owner: Owner, host = owner.slug) => {
  const { status, body } = await play(service, host, { headers: opening });
  return `${status} ${/<h1>(.*)<\/h1>/.exec(String(body))?.[1] ?? "game"}`;
};
const trafficOf = async (owner: Owner) => {
  const wanted = [trafficKey(owner.slug, month), accountTrafficKey(keyOf(owner), month)] as const;
  return (await readItems(wanted)).map((item) => item?.sentBytes ?? 0);
};

let ada: Owner;
beforeEach(async () => {
  ada = await withProject(await actorsOf(service).developer());
  await publish(ada, ada.slug, { "index.html": page });
  await play(service, ada.slug, { headers: opening });
});

test("made-up hosts cost the table no read, however many more there are than are counted at once", async () => {
  const reads = async () => (await service.recorder.during(count)).filter(isRead).length;
  await count();
  const before = await reads();
  for (let host = 0; host < 120; host += 1) await play(service, `made-up-${host}`, { headers: opening });
  expect(await reads()).toBe(before);
});

describe("a game over its limit", () => {
  beforeEach(async () => {
    process.env["TRAFFIC_BYTES_PER_PROJECT"] = "10000";
    expect((await count()).overLimit).toContain(ada.slug);
  });

  test("shows players a page until the month ends, and tells its owner once", async () => {
    const { status, body } = await play(service, ada.slug, { headers: opening });
    expect({ status, text: String(body) }).toEqual({
      status: 404,
      text: expect.stringContaining("traffic of this month"),
    });
    expect(String(body)).toContain("It is back on 1 ");
    expect((await count()).overLimit).not.toContain(ada.slug);
    expect(await notices(ada)).toEqual(["project_traffic_limited"]);
    expect((await ada.get(`/projects/${ada.slug}`)).body.traffic_limited_until).toBe(nextMonth);
  });

  test("is neither written nor limited again if nothing is new, and its month is read once", async () => {
    const calls = await service.recorder.during(count);
    expect(calls.filter((call) => !isRead(call)).map(({ operation }) => operation)).toEqual([]);
    const reads = calls.flatMap(({ input }) => Object.values(input.RequestItems ?? {}) as { Keys?: unknown[] }[]);
    const keysRead = reads.flatMap(({ Keys = [] }) => Keys.map((key) => JSON.stringify(key)));
    for (const partition of [`STATISTICS#${ada.slug}`, `TRAFFIC#${keyOf(ada)}`])
      expect(keysRead.filter((key) => key.includes(`"${partition}"`) && key.includes(`${month}"`))).toHaveLength(1);
  });

  test("stays limited when it is published, and so do its previews", async () => {
    const id = await publish(ada, ada.slug, { "index.html": `${page}2` });
    await ada.post(`/projects/${ada.slug}/releases/${id}/preview`, {});
    expect(await opened(ada)).toBe("404 Nothing to play now");
    const project = await readProject(ada.slug);
    const previews = [{ digits: "0".repeat(20), releaseId: id, manifest: "a".repeat(64), expiresAt: 9e9 }];
    const values = entriesOf(ada.slug, { ...project, previews } as never, new Date());
    expect(values).toEqual([
      [ada.slug, expect.stringMatching(/^u<bdi>.+<\/bdi> was played so much/)],
      [`${ada.slug}--${"0".repeat(20)}`, undefined],
    ]);
  });

  test("comes back with the next month by itself, for which its pointer waits", async () => {
    const project = await readProject(ada.slug);
    const valueAt = (time: number) => entriesOf(ada.slug, project, new Date(time))[0]?.[1]?.slice(0, 2);
    expect([Date.parse(nextMonth) - 1, Date.parse(nextMonth)].map(valueAt)).toEqual(["u<", "l."]);
    const waiting = (await everyItem(service)).filter(
      ({ PK, slugs }) => PK === "POINTER#WAITING" && (slugs as string[])[0] === ada.slug,
    );
    expect(waiting.map(({ from }) => from).toSorted()).toEqual([expect.stringMatching(`^${today}`), nextMonth]);
  });

  test("comes back by the operator, and is not limited again this month", async () => {
    await operate(["lift", "project", ada.slug, "--without-games"], new Date());
    expect(await opened(ada)).toBe("200 game");
    expect((await count()).overLimit).not.toContain(ada.slug);
    expect(await opened(ada)).toBe("200 game");
    expect((await ada.get(`/projects/${ada.slug}`)).body.traffic_limited_until).toBeNull();
    // One that has no limit any more stays as it is.
    await operate(["lift", "project", ada.slug, "--without-games"], new Date());
    expect(await opened(ada)).toBe("200 game");
  });

  test("stays suspended when its limit ends", async () => {
    await suspendProject(ada.slug, "spam", new Date());
    expect(await opened(ada)).toBe("410 This game is closed");
    await operate(["lift", "project", ada.slug, "--without-games"], new Date());
    expect(await opened(ada)).toBe("410 This game is closed");
    const project = await readProject(ada.slug);
    expect(entriesOf(ada.slug, project, new Date(nextMonth))).toEqual([[ada.slug, "s"]]);
  });

  test("is lifted once, and only the limit that was read", async () => {
    const project = await readProject(ada.slug);
    if (project === undefined) throw new Error("There is no project");
    const other = { ...project, trafficLimit: { until: "2026-01-01T00:00:00.000Z" } };
    await expect(removeTrafficLimit(other, new Date())).rejects.toThrow();
    await removeTrafficLimit(project, new Date());
    await expect(removeTrafficLimit(project, new Date())).rejects.toThrow();
  });
});

test("a game whose owner has changed since it was read is not limited, and nobody is told", async () => {
  const project = await readProject(ada.slug);
  if (project === undefined) throw new Error("There is no project");
  const now = new Date();
  expect(await setTrafficLimit({ ...project, ownerKey: "another" }, new Date(nextMonth), now)).toBe(false);
  expect(await notices(ada)).toEqual([]);
  expect(await setTrafficLimit(project, new Date(nextMonth), now)).toBe(true);
  expect(await setTrafficLimit(project, new Date(nextMonth), now)).toBe(false);
  expect(await notices(ada)).toHaveLength(1);
});

test("from 80 % of a limit on the owner is told, once, and players go on playing", async () => {
  const [sent = 0] = await count().then(() => trafficOf(ada));
  process.env["TRAFFIC_BYTES_PER_PROJECT"] = String(Math.floor(sent / 0.79));
  expect((await count()).overLimit).toEqual([]);
  expect(await notices(ada)).toEqual([]);
  process.env["TRAFFIC_BYTES_PER_PROJECT"] = String(Math.floor(sent / 0.81));
  for (let run = 0; run < 2; run += 1) expect((await count()).overLimit).not.toContain(ada.slug);
  expect(await notices(ada)).toEqual(["project_traffic_high"]);
  expect(await opened(ada)).toBe("200 game");
});

test("the limit of an account is one of all its games, of which the owner is told once", async () => {
  const second = await withProject(ada);
  await publish(second, second.slug, { "index.html": page });
  await play(service, second.slug, { headers: opening });
  await count();
  const sent = [await trafficOf(ada), await trafficOf(second)];
  const [[first = 0, both = 0] = [], [other = 0] = []] = sent;
  expect(both).toBe(first + other);
  process.env["TRAFFIC_BYTES_PER_ACCOUNT"] = String(Math.ceil(both / 0.9));
  await count();
  expect([...(await notices(ada)), ...(await notices(second))]).toEqual(["project_traffic_high"]);
  process.env["TRAFFIC_BYTES_PER_ACCOUNT"] = String(both);
  const { overLimit } = await count();
  expect([ada.slug, second.slug].map((slug) => overLimit.includes(slug))).toEqual([true, true]);
});

test("the limit of an account is reached by what the same run counts of its games together", async () => {
  const second = await withProject(ada);
  await publish(second, second.slug, { "index.html": page });
  await play(service, second.slug, { headers: opening });
  process.env["TRAFFIC_BYTES_PER_ACCOUNT"] = "15000";
  const { overLimit } = await count();
  expect([ada.slug, second.slug].filter((slug) => overLimit.includes(slug))).toEqual([ada.slug, second.slug]);
});

test("a limit that only tells is told to the operator at each run, and players go on playing", async () => {
  Object.assign(process.env, { TRAFFIC_BYTES_PER_PROJECT: "10000", TRAFFIC_ONLY_TELL: "1" });
  const written = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
  await handler({}, { awsRequestId: "1" } as never);
  await handler({}, { awsRequestId: "1" } as never);
  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
  written.mockRestore();
  const own = lines.filter(({ message }) => message.startsWith(`${ada.slug} `));
  expect(own.map(({ level, code }) => `${level} ${code}`)).toEqual(Array(2).fill("error traffic_limit_reached"));
  expect(await opened(ada)).toBe("200 game");
  expect(await notices(ada)).toEqual(["project_traffic_high"]);
});

test("a day that is counted again adds nothing, and requests of previews count too", async () => {
  await count();
  const [before = 0] = await trafficOf(ada);
  await count();
  expect(await trafficOf(ada)).toEqual([before, before]);
  const { release } = (await openRelease(ada, ada.slug, { "index.html": `${page} next` })).body;
  const { preview } = (await ada.post(`/projects/${ada.slug}/releases/${release.id}/preview`)).body;
  await play(service, new URL(preview.url).hostname.split(".")[0] ?? "", { headers: opening });
  const { written } = await count();
  const [after = 0, account] = await trafficOf(ada);
  expect({ isMore: after > before, account, written }).toEqual({ isMore: true, account: after, written: 0 });
  await count();
  expect(await trafficOf(ada)).toEqual([after, after]);
});

test("of two runs at the same time one adds what is new", async () => {
  await count();
  const project = await readProject(ada.slug);
  const [previous] = await readItems([trafficKey(ada.slug, month)]);
  if (project === undefined || previous === undefined) throw new Error("Nothing is counted");
  const day = today.slice(-2);
  const byDay = { ...previous.byDay, [day]: previous.sentBytes + 5 };
  for (let run = 0; run < 2; run += 1)
    await replaceTraffic(project, month, { previous, byDay, playsByDay: {}, now: new Date() });
  expect(await trafficOf(ada)).toEqual([previous.sentBytes + 5, previous.sentBytes + 5]);
});

test("a day of the month before limits nothing now", async () => {
  process.env["TRAFFIC_BYTES_PER_PROJECT"] = "10000";
  const { overLimit } = await countDay(today, query, new Date(nextMonth));
  expect(overLimit).toEqual([]);
  expect((await readProject(ada.slug))?.trafficLimit).toBeUndefined();
});
