import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { operate } from "../../../../infra/operator/operator.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { newProject, newSlug } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { itemsOf, storedItem } from "../../../support/table/stored.ts";

/*
 * Acts of an operator while another operator, or the owner, does the same.
 */
const service = useRecordedService({});
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ GAMES_DOMAIN: service.gamesDomain }));
const overtaken = overtakenBy(service);
let account: string;

beforeEach(() => {
  account = accountKey(service.issuer, ada.uid);
});

// biome-ignore lint/suspicious/noExplicitAny: what the operator is shown is checked where it is read
const operator = async (command: string): Promise<any> =>
  await operate([...command.split(" "), "--without-games"], new Date());
const project = () => storedItem(service, keys.project(ada.slug));
const eventsOf = async (type: string) =>
  (await itemsOf(service, keys.account(account).PK)).filter((item) => item["type"] === type);

test.each([
  ["suspend account", () => ada.uid, () => keys.account(account), "account_suspended"],
  ["suspend project", () => ada.slug, () => keys.project(ada.slug), "project_suspended"],
  ["takedown", () => ada.slug, () => keys.project(ada.slug), "project_suspended"],
  ["takedown of a deleted", () => ada.slug, () => keys.project(ada.slug), "project_suspended"],
])("two operators %s at once: the first one's reason stays, and it is one event", async (words, name, key, type) => {
  if (words.endsWith("deleted")) await ada.delete(`/projects/${ada.slug}`);
  const command = `${words.replace(" of a deleted", "")} ${name()} --reason`;
  await overtaken(
    () => operator(`${command} spam`),
    () => operator(`${command} malware`),
  );
  expect(await storedItem(service, key())).toMatchObject({ suspension: { reason: "malware" } });
  expect(await eventsOf(type)).toMatchObject([{ reason: "malware" }]);
});

test.each([
  ["account", () => ada.uid],
  ["project", () => ada.slug],
])("two operators restore one %s at once: it is one event", async (kind, name) => {
  // With a project the account would have its condition too.
  if (kind === "account") await ada.delete(`/projects/${ada.slug}`);
  await operator(`suspend ${kind} ${name()} --reason spam`);
  const restore = () => operator(`restore ${kind} ${name()}`);
  await overtaken(restore, restore);
  expect(await eventsOf(`${kind}_reinstated`)).toHaveLength(1);
});

test("a project is deleted by its owner while it is taken down: it is one project less", async () => {
  await newProject(ada);
  await overtaken(
    () => operator(`takedown ${ada.slug} --reason malware`),
    () => ada.delete(`/projects/${ada.slug}`),
  );
  expect(await storedItem(service, keys.account(account))).toMatchObject({ projectCount: 1 });
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({ suspension: { isTakedown: true } });
  expect(await eventsOf("project_deleted")).toHaveLength(1);
});

describe("a project is restored by the operator", () => {
  beforeEach(() => operator(`suspend project ${ada.slug} --reason spam`));

  test("while its account is suspended: it stays closed with the account", async () => {
    await overtaken(
      () => operator(`restore project ${ada.slug}`),
      () => operator(`suspend account ${ada.uid} --reason malware`),
    );
    expect(await project()).toMatchObject({ suspension: { reason: "malware", withAccount: true } });
  });

  test("while its account is, too: both are open", async () => {
    await operator(`suspend account ${ada.uid} --reason malware`);
    await overtaken(
      () => operator(`restore project ${ada.slug}`),
      () => operator(`restore account ${ada.uid}`),
    );
    expect(await project()).not.toHaveProperty("suspension");
  });
});

test("a project is replaced by another while its account is suspended: the other is closed, the deleted one is not", async () => {
  const other = newSlug();
  await overtaken(
    () => operator(`suspend account ${ada.uid} --reason malware`),
    async () => {
      await ada.delete(`/projects/${ada.slug}`);
      await ada.post("/projects", { slug: other });
    },
  );
  expect(await storedItem(service, keys.project(other))).toMatchObject({ suspension: { withAccount: true } });
  expect(await project()).not.toHaveProperty("suspension");
});
