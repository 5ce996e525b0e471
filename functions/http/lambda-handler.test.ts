import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { getUser } from "../../contract/api/accounts.ts";
import { lambdaHandler } from "./lambda-handler.ts";
import { response } from "./response.ts";

test("a response that takes as long as the function may run is not given up before", async () => {
  const user = { uid: "ada", name: "Ada", avatar: null, display_name: null, bio: null };
  const handler = lambdaHandler(getUser, async () => {
    await delay(60);
    return response(200, user);
  });
  const event = { requestContext: { requestId: "r1", http: { method: "GET" } } } as APIGatewayProxyEventV2;
  const context = { getRemainingTimeInMillis: () => 40 } as Context;
  expect(await handler(event, context)).toMatchObject({ statusCode: 200, body: JSON.stringify(user) });
});
