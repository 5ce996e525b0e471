import { beforeEach, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { operate } from "../../../../tools/operator.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { newProject } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { itemsOf, storedItem } from "../../../support/table/stored.ts";

/*
 * What the operator does while another operator, or the owner, does the same.
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
const operator = async (command: string): Promise<any> => await operate(command.split(" "), new Date());
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
