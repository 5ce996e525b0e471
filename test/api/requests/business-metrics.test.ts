import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { publishRelease } from "../../../functions/domain/releases/publishing.ts";
import { createToken, rotateToken } from "../../../functions/domain/tokens/tokens.ts";
import type { Account } from "../../../functions/entities/account.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { manifestOf, readyRelease } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { storedItem } from "../../support/table/stored.ts";

/*
 * What a stage counts of what people do (functions/metrics.ts): once for each change that was stored, and not for a request that changed nothing.
 */
const service = useService();
useFunctionEnvironment(service, () => ({ SVC_STAGE: "staging" }));
const ada = useOwner(service);

const written: string[] = [];
beforeEach(() => {
  jest.spyOn(process.stdout, "write").mockImplementation((line) => written.push(String(line)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
  delete process.env["SVC_STAGE"];
});

/** The metrics that were counted since the last look. */
function counted(): string[] {
  const lines = written.splice(0).map((line) => JSON.parse(line));
  return lines.flatMap(({ _aws }) => _aws?.CloudWatchMetrics.map(({ Metrics: [{ Name }] }: MetricLine) => Name) ?? []);
}

interface MetricLine {
  readonly Metrics: readonly [{ readonly Name: string }];
}

const account = async () =>
  (await storedItem(service, keys.account(accountKey(service.issuer, ada.uid)))) as unknown as Account;
const project = async () => (await storedItem(service, keys.project(ada.slug))) as unknown as Project;
const request = { name: "CI", scopes: ["publish"], projects: null, expiresAt: undefined } as const;

test("a token that was made is counted once, one that replaces it too, and a refused one is not", async () => {
  const { token } = await createToken(await account(), { ...request, expiresInDays: 1 }, new Date());
  expect(counted()).toEqual(["TokensCreated"]);
  await rotateToken(await account(), token.id, { overlapHours: 1, expiresInDays: undefined }, new Date());
  expect(counted()).toEqual(["TokensCreated"]);
  const foreign = { ...request, projects: ["not-mine"], expiresInDays: 1 };
  await expect(createToken(await account(), foreign, new Date())).rejects.toMatchObject({ code: "validation_failed" });
  expect(counted()).toEqual([]);
});

test("a release that goes live is counted once, also if it is asked for again, and an incomplete one is not", async () => {
  const { token } = await createToken(await account(), { ...request, expiresInDays: 1 }, new Date());
  const releaseId = await readyRelease(ada, ada.slug, "<h1>page</h1>");
  const publishNow = async (id: string) => {
    const actor = { kind: "token", account: await account(), token, project: await project() } as const;
    return await publishRelease(actor, { releaseId: id, expectCurrent: undefined }, new Date());
  };
  counted();
  await publishNow(releaseId);
  expect(counted()).toEqual(["Publications"]);
  await publishNow(releaseId);
  expect(counted()).toEqual([]);
  const files = manifestOf({ "index.html": "<h1>never uploaded</h1>" });
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
  await expect(publishNow(body.release.id)).rejects.toMatchObject({ code: "release_incomplete" });
  expect(counted()).toEqual([]);
});
