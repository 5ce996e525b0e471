import { expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { keys } from "../../../functions/table/keys.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { makeLive, manifestOf, openRelease, publish, readyRelease } from "../../support/service/steps.ts";
import { useEmptiedService, useSharedOwner } from "../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useEmptiedService();
const ada = useSharedOwner(service);
const overtaken = overtakenBy(service);

const most = limits.openReleasesPerProject;
const setOpen = (number: number) => setAttribute(service, keys.project(ada.slug), "openReleases", number);
const openReleases = async () => (await storedItem(service, keys.project(ada.slug)))?.["openReleases"];
const open = (page: string, request = {}) =>
  ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": page }), ...request });
const refused = {
  status: 409,
  body: { code: "open_release_limit_reached", detail: expect.stringMatching(/^The project has 1000 open releases/) },
};

test("a project has 1,000 open releases at most: one more is refused, in a dry run too, and nothing is stored", async () => {
  await setOpen(most - 1);
  expect(await open("last")).toMatchObject({ status: 201 });
  const before = await storedProject(service, ada.slug);
  for (const request of [{}, { dry_run: true }]) expect(await open("more", request)).toMatchObject(refused);
  expect(await storedProject(service, ada.slug)).toEqual(before);
  expect(await open("last")).toMatchObject({ status: 200 });
});

test("one that goes live makes room for another, and a rollback for none", async () => {
  const first = await publish(ada, ada.slug, { "index.html": "first" });
  const second = await readyRelease(ada, ada.slug, "second");
  await setOpen(most);
  expect(await open("third")).toMatchObject(refused);
  expect(await makeLive(ada, ada.slug, second)).toMatchObject({ status: 200 });
  expect(await makeLive(ada, ada.slug, first)).toMatchObject({ status: 200 });
  expect(await openReleases()).toBe(most - 1);
  expect(await open("third")).toMatchObject({ status: 201 });
  expect(await open("fourth")).toMatchObject(refused);
});

test("of two that are opened at the same time the one that is too many is refused", async () => {
  await setOpen(most - 1);
  const response = await overtaken(
    () => open("one"),
    () => openRelease(ada, ada.slug, { "index.html": "two" }),
  );
  expect(response).toMatchObject(refused);
  expect(await openReleases()).toBe(most);
});
