import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { getHealth } from "../../contract/api/service.ts";
import { lambdaHandler } from "./lambda-handler.ts";
import { response } from "./response.ts";

test("a response that takes as long as the function may run is not given up before", async () => {
  const health = { status: "ok", version: "1" } as const;
  const handler = lambdaHandler(getHealth, async () => {
    await delay(60);
    return response(200, health);
  });
  const event = { requestContext: { requestId: "r1", http: { method: "GET" } } } as APIGatewayProxyEventV2;
  const context = { getRemainingTimeInMillis: () => 40 } as Context;
  expect(await handler(event, context)).toMatchObject({ statusCode: 200, body: JSON.stringify(health) });
});
