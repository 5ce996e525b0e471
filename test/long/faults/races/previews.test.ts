import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { openRelease } from "../../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * Changes of the project between the read and the write of a request about its previews: the request is refused, as it would be a moment
 * later, and the previews stay as they are.
 */
const service = useRecordedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);
afterEach(() => service.recorder.plan(undefined));

let path: (rest: string) => string;
let named: string;
let other: string;
beforeEach(async () => {
  path = (rest) => `/projects/${ada.slug}/${rest}`;
  const [first, second] = [
    await openRelease(ada, ada.slug, { "index.html": "1" }),
    await openRelease(ada, ada.slug, { "index.html": "2" }),
  ];
  [named, other] = [first.body.release.id, second.body.release.id];
  await ada.post(path(`releases/${named}/preview`), { name: "pr-1" });
});

const requests: [string, () => ReturnType<typeof ada.post>][] = [
  ["opens one", () => ada.post(path(`releases/${other}/preview`))],
  ["opens one with a name", () => ada.post(path(`releases/${other}/preview`), { name: "pr-2" })],
  ["replaces what one shows", () => ada.post(path(`releases/${other}/preview`), { name: "pr-1" })],
  ["gives one a new URL", () => ada.post(path(`releases/${named}/preview`), { name: "pr-1", new_url: true })],
  ["keeps one", () => ada.patch(path("previews/pr-1"), { kept: true })],
  ["ends one by its name", () => ada.delete(path("previews/pr-1"))],
];

const changes: [string, string, unknown, object][] = [
  ["another owner", "ownerKey", "another", { status: 404, body: { code: "project_not_found" } }],
  [
    "a suspension",
    "suspension",
    { at: "2026-01-01T00:00:00.000Z", reason: "spam" },
    { status: 403, body: { code: "project_suspended" } },
  ],
  ["a deletion", "deletedAt", "2026-01-01T00:00:00.000Z", { status: 410, body: { code: "project_deleted" } }],
];

const cases = changes.flatMap(([what, attribute, value, refusal]) =>
  requests.map(([does, request]) => ({ what, does, attribute, value, refusal, request })),
);

test.each(cases)("the project gets $what meanwhile: a request that $does is refused", async (race) => {
  const { attribute, value, refusal, request } = race;
  const before = (await storedItem(service, keys.project(ada.slug)))?.["previews"];
  const response = await overtaken(request, () => setAttribute(service, keys.project(ada.slug), attribute, value));
  expect(response).toMatchObject(refusal);
  expect((await storedItem(service, keys.project(ada.slug)))?.["previews"]).toEqual(before);
});
