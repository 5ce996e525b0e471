import { expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import type { Developer } from "../../../support/service/actors.ts";
import { addMember, operations, perform } from "../../../support/service/operations.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { manifestOf, openRelease, publish } from "../../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { itemsOf, setAttribute } from "../../../support/table/stored.ts";

/*
 * Changes of a project between the read and the write of a request that changes it too: the request is refused, as it would be a moment
 * later, and nothing of it is stored. The condition is the same for each request (openCondition), so each request meets one change, and
 * each change one request.
 */
const service = useRecordedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);

type Request = () => ReturnType<Developer["post"]>;

const path = (rest: string) => `/projects/${ada.slug}${rest}`;
const set = (attribute: string, value: unknown) => setAttribute(service, keys.project(ada.slug), attribute, value);
const files = manifestOf({ "index.html": "next" });
const opened = async (text: string): Promise<string> =>
  (await openRelease(ada, ada.slug, { "index.html": text })).body.release.id;
const publishTwice = async (): Promise<string> => {
  const first = await publish(ada, ada.slug, { "index.html": "1" });
  await publish(ada, ada.slug, { "index.html": "2" });
  return first;
};
/** A release with the preview pr-1, and one without any. */
const withPreview = async () => {
  const [named, other] = [await opened("1"), await opened("2")];
  await ada.post(path(`/releases/${named}/preview`), { name: "pr-1" });
  return { named, other };
};

const requests: Readonly<Record<string, () => Promise<Request>>> = {
  "an edit": async () => () => ada.patch(path(""), { name: "Still mine" }),
  "an opening of a release": async () => () => ada.post(path("/releases"), { files }),
  "one that expects no live release": async () => () => ada.post(path("/releases"), { files, expect_current: null }),
  "a publication": async () => {
    const id = await opened("1");
    return () => ada.post(path(`/releases/${id}/publish`));
  },
  "a roll-back": async () => {
    const first = await publishTwice();
    return () => ada.post(path(`/releases/${first}/publish`));
  },
  "a withdrawal": async () => {
    const first = await publishTwice();
    return () => ada.post(path(`/releases/${first}/withdraw`));
  },
  "going offline": async () => {
    await publishTwice();
    return () => ada.post(path("/unpublish"));
  },
  "a removal of a publisher": async () => {
    const operation = await operations.deletePublisher(ada);
    return () => perform(ada, operation);
  },
  "a preview": async () => {
    const { other } = await withPreview();
    return () => ada.post(path(`/releases/${other}/preview`));
  },
  "one with a name": async () => {
    const { other } = await withPreview();
    return () => ada.post(path(`/releases/${other}/preview`), { name: "pr-2" });
  },
  "one in the place of another": async () => {
    const { other } = await withPreview();
    return () => ada.post(path(`/releases/${other}/preview`), { name: "pr-1" });
  },
  "a new URL of one": async () => {
    const { named } = await withPreview();
    return () => ada.post(path(`/releases/${named}/preview`), { name: "pr-1", new_url: true });
  },
  "one that is kept": async () => {
    await withPreview();
    return () => ada.patch(path("/previews/pr-1"), { kept: true });
  },
  "the end of one": async () => {
    await withPreview();
    return () => ada.delete(path("/previews/pr-1"));
  },
};

const stored = async () => (await itemsOf(service, keys.project(ada.slug).PK)).map(({ ownerKey: _, ...item }) => item);

test.each(Object.entries(requests))("the project gets another owner meanwhile: %s is refused", async (_, prepare) => {
  const request = await prepare();
  const before = await stored();
  const response = await overtaken(request, () => set("ownerKey", "another"));
  expect(response).toMatchObject({ status: 404, body: { code: "project_not_found" } });
  expect(await stored()).toEqual(before);
});

test.each([
  [
    "is deleted",
    () => set("deletedAt", "2026-01-01T00:00:00.000Z"),
    { status: 410, body: { code: "project_deleted" } },
  ],
  [
    "is suspended",
    () => set("suspension", { at: "2026-01-01T00:00:00.000Z", reason: "spam" }),
    { status: 403, body: { code: "project_suspended" } },
  ],
])("the project %s meanwhile: a publication is refused", async (_, change, refusal) => {
  const request = await requests["a publication"]?.();
  expect(await overtaken(request as Request, change)).toMatchObject(refusal);
  const [project] = (await stored()).filter(({ SK }) => SK === "PROJECT");
  expect(project).not.toHaveProperty("currentRelease");
});

test("the member is removed meanwhile: a publication of theirs is refused", async () => {
  const publisher = await ada.otherDeveloper();
  await addMember(ada, ada.slug, publisher, "publisher");
  const id = await opened("1");
  const [, member] = (await ada.get(path("/members"))).body.members;
  const response = await overtaken(
    () => publisher.post(path(`/releases/${id}/publish`)),
    () => ada.delete(path(`/members/${member.id}`)),
  );
  expect(response).toMatchObject({ status: 404, body: { code: "project_not_found" } });
});
