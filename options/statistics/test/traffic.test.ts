import { describe, expect, test } from "@jest/globals";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { removeTrafficLimit, setTrafficLimit } from "../../../functions/table/projects/traffic-limit-items.ts";
import { type Actor, actorsOf } from "../../../test/support/service/actors.ts";
import { addMember } from "../../../test/support/service/operations.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import { storeTraffic } from "./support/stored-plays.ts";

/*
 * The month's traffic and its limits in GET /projects/:slug/statistics. How both are counted is in
 * options/statistics/test/long/journeys/traffic-limits.test.ts.
 */

const service = useService({ env: { TRAFFIC_BYTES_PER_PROJECT: "10000", TRAFFIC_BYTES_PER_ACCOUNT: "30000" } });
useFunctionEnvironment(service);
const ada = useOwner(service);

const trafficOf = async (actor: Actor = ada, slug = ada.slug) =>
  (await actor.get(`/projects/${slug}/statistics?from=2026-01-01&to=2026-01-02`)).body.traffic;
const limitUntil = async (until: Date) => {
  const project = await readProject(ada.slug);
  if (project === undefined) throw new Error("There is no project");
  await setTrafficLimit(project, until, new Date());
};

describe("the traffic of the present month, whatever days are asked for,", () => {
  test("is that of the project and of all projects of its owner, each with its limit", async () => {
    const second = await newProject(ada);
    await storeTraffic(ada.slug, 9_000);
    await storeTraffic(second, 400);
    expect(await trafficOf()).toEqual({
      project: { bytes: 9_000, limit: 10_000 },
      account: { bytes: 9_400, limit: 30_000 },
      limited_until: null,
    });
    expect((await trafficOf(ada, second)).project).toEqual({ bytes: 400, limit: 10_000 });
  });

  test("is nothing before anything was sent", async () => {
    expect(await trafficOf()).toMatchObject({ project: { bytes: 0 }, account: { bytes: 0 } });
  });

  test("of the owner's other projects is told to the owner alone, and to no token that is narrowed to some", async () => {
    await storeTraffic(ada.slug, 9_000);
    const grace = await actorsOf(service).developer();
    await addMember(ada, ada.slug, grace, "publisher");
    expect(await trafficOf(grace)).toEqual({
      project: { bytes: 9_000, limit: 10_000 },
      account: null,
      limited_until: null,
    });
    const narrowed = await ada.token({ projects: [ada.slug] });
    expect(await trafficOf(narrowed)).toMatchObject({ project: { bytes: 9_000 }, account: null });
    expect((await trafficOf(await ada.token())).account).not.toBeNull();
  });

  test("has the time until which a limit stops players, unless it is over or lifted", async () => {
    const [past, future] = [-1_000, 60_000].map((milliseconds) => new Date(Date.now() + milliseconds)) as [Date, Date];
    await limitUntil(past);
    expect((await trafficOf()).limited_until).toBeNull();
    await limitUntil(future);
    expect((await trafficOf()).limited_until).toBe(future.toISOString());
    const project = await readProject(ada.slug);
    if (project === undefined) throw new Error("There is no project");
    await removeTrafficLimit(project, new Date());
    expect((await trafficOf()).limited_until).toBeNull();
  });
});
