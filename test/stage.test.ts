import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Actors, actorsOf } from "./support/actors.ts";
import { startStage, type TestStage } from "./support/stage.ts";

let stage: TestStage;
let actors: Actors;

beforeAll(async () => {
  stage = await startStage();
  actors = actorsOf(stage);
});
afterAll(() => stage?.stop());

test("a token authenticates until it is revoked", async () => {
  const developer = await actors.developer();
  const token = await developer.token();
  expect((await token.get("/me")).body.auth).toMatchObject({ kind: "token", token_id: token.id });
  expect((await developer.delete(`/tokens/${token.id}`)).status).toBe(204);
  expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
});
