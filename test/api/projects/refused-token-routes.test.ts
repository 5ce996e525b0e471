import { beforeAll, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf, type TokenActor } from "../../support/service/actors.ts";
import { type Owner, operations, perform, withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { useRecordedService } from "../../support/service/suite.ts";

/*
 * Every route of a project that takes a token, with one that the owner refuses. test/api/projects/refused-tokens.test.ts has the rest.
 */
const service = useRecordedService();

const ofTokens = (Object.keys(routes) as RouteName[]).filter((name) => {
  const { project, credential } = routes[name] as Route;
  return project !== undefined && credential === "any";
});
let ada: Owner;
let token: TokenActor;

beforeAll(async () => {
  ada = await withProject(await actorsOf(service).developer());
  token = await ada.token({ scopes: ["publish", "projects"] });
  await token.get("/me");
});

const decide = (refused: boolean) => ada.patch(`/projects/${ada.slug}/tokens/${token.id}`, { refused });

test.each(ofTokens)(
  "%s refuses it at once, also if that is under way, and takes it once it may act again",
  async (name) => {
    const operation = await operations[name](ada);
    const refusal = { status: 403, body: { code: "token_refused" } };
    // Upload URLs are given out without a write, after the token was read again.
    let reads = 0;
    const isSecondRead = ({ operation: call }: { operation: string }) => call === "BatchGetItem" && ++reads === 2;
    const isUpload = ["continueUpload", "createUploads", "unpackFiles"].includes(name);
    const refuse = () => decide(true);
    if ((routes[name] as Route).method === "GET") await refuse();
    else {
      const overtaken = overtakenBy(service, isUpload ? isSecondRead : undefined);
      expect(await overtaken(() => perform(token, operation), refuse)).toMatchObject(refusal);
    }
    expect(await perform(token, operation)).toMatchObject(refusal);
    await decide(false);
    expect((await perform(token, operation)).status).toBeLessThan(300);
  },
);
