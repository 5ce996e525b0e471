import { beforeEach, expect, test } from "@jest/globals";
import { sweepProject } from "../../../../../functions/domain/sweep/project-sweep.ts";
import { keys } from "../../../../../functions/table/keys.ts";
import { publish } from "../../../../../test/support/service/steps.ts";
import { useEmptiedService, useFunctionEnvironment, useOwner } from "../../../../../test/support/service/suite.ts";
import { brokenInvariants } from "../../../../../test/support/table/invariants.ts";
import { endLife, everyItem, itemsOf, setAttribute, storedItem } from "../../../../../test/support/table/stored.ts";
import { sweepOf } from "../../../../../test/support/table/sweeping.ts";
import { profileKeys } from "../../../functions/keys.ts";
import { storedProfiles } from "../../../functions/stored-profiles.ts";
import { marks, openPage } from "../../support/telemetry-page.ts";

/*
 * The sweep's work on profiles: it counts those that are kept, and deletes those of a project that is closed for good.
 */
const service = useEmptiedService();
const ada = useOwner(service);
useFunctionEnvironment(service);
beforeEach(async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
});

const sweep = () => sweepProject(ada.slug, { ...sweepOf(), stored: [storedProfiles] });
const used = async () => (await storedItem(service, keys.project(ada.slug)))?.["usedBytes"] as number;
const ofProfiles = async () =>
  (await itemsOf(service, `PROJECT#${ada.slug}`)).filter(({ SK }) => /^(?:PROFILE|TELEMETRY)#/.test(String(SK)));

test("each kept profile counts 2 MiB, and one that has expired nothing", async () => {
  await sweep();
  const files = await used();
  const [first] = [await openPage(service, ada, ada.slug), await openPage(service, ada, ada.slug)];
  expect(await used()).toBe(files + 2 * 2_097_152);
  await sweep();
  expect(await used()).toBe(files + 2 * 2_097_152);
  await endLife(service, profileKeys.profile(ada.slug, first.id), -1);
  await sweep();
  expect(await used()).toBe(files + 2_097_152);
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test("a profile that is made while a sweep counts is counted", async () => {
  await openPage(service, ada, ada.slug);
  await sweep();
  const before = await used();
  let made: Promise<unknown> | undefined;
  service.recorder.plan(({ operation }) => {
    if (made !== undefined || operation !== "Query") return undefined;
    made = ada.post(`/projects/${ada.slug}/telemetry-grants`);
    return { kind: "overtaken", by: made.then(() => undefined) };
  });
  await sweep();
  service.recorder.plan(undefined);
  expect(await made).toMatchObject({ status: 201 });
  expect(await used()).toBe(before + 2_097_152);
});

test("those of a project that is closed for good are deleted with their records, before its slug is free", async () => {
  const [page, other] = [await openPage(service, ada, ada.slug), await openPage(service, ada, ada.slug)];
  await page.send(0, marks(2));
  await page.send(2, marks(2));
  await other.send(0, marks(1));
  expect(await ofProfiles()).toHaveLength(5);
  await ada.delete(`/projects/${ada.slug}`);
  await sweep();
  expect(await ofProfiles()).toHaveLength(5);
  await setAttribute(service, keys.project(ada.slug), "deletedAt", "2020-01-01T00:00:00.000Z");
  await sweep();
  expect(await ofProfiles()).toEqual([]);
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({
    sweptAt: expect.any(String),
    usedBytes: 0,
  });
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
