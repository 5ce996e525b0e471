import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { apiVersion, serviceVersion } from "../../../contract/api/version.ts";
import { handler } from "../../../functions/handlers/get-root.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

/*
 * GET /: what somebody gets who opens the API's URL.
 */
const service = useService();
const actors = actorsOf(service);
const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/** The specification's labels. */
const labels = {
  accounts: "staging",
  tokens: "source-preview",
  publishing: "source-preview",
  command_line: "source-preview",
};

/** The status and the target of a request that accepts this. */
async function rootFor(accept: string, method = "GET") {
  const { status, headers, body } = await actors.anonymous.send(method, "/", { headers: { accept } });
  expect(headers.get("vary")).toBe("Accept");
  return { status, location: headers.get("location"), body };
}

describe("the root of the API leads", () => {
  test.each([
    ["Chromium", chrome],
    ["Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ["a text browser, which writes it in capitals", "TEXT/HTML; Q=0.9, text/*;q=0.8"],
    ["a client that takes any text", "text/*, application/json;q=0.5"],
  ])("%s to the dashboard", async (_, accept) => {
    const location = `${new URL(service.dashboard).origin}/`;
    expect(await rootFor(accept)).toEqual({ status: 302, location, body: undefined });
  });

  const itself = {
    ...{ name: "svc", version: apiVersion, service_version: serviceVersion, openapi: "/openapi.json" },
    availability: labels,
  };

  test.each([
    ["curl", "*/*"],
    ["a client of JSON", "application/json"],
    ["a client that prefers JSON", "application/json, text/html;q=0.9"],
    ["a client that has no preference", "text/html, application/json"],
    ["a client that refuses HTML", "text/html;q=0, */*;q=0.1"],
    ["a client whose quality is no number", "text/html;q=high"],
    ["a client that accepts nothing", ""],
  ])("%s to the OpenAPI document, by its path", async (_, accept) => {
    const dashboard = `${new URL(service.dashboard).origin}/`;
    expect(await rootFor(accept)).toEqual({ status: 200, location: null, body: { ...itself, dashboard } });
  });

  test("HEAD if it leads GET, and refuses every other method", async () => {
    expect(await rootFor(chrome, "HEAD")).toEqual(await rootFor(chrome));
    expect(await actors.anonymous.post("/", {})).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
  });

  test("a program that follows its path to the document", async () => {
    const { openapi } = (await (await fetch(service.api)).json()) as { openapi: string };
    expect(await (await fetch(new URL(openapi, service.api))).json()).toHaveProperty("openapi", "3.1.1");
  });
});

test("on a stage without a dashboard, a browser gets what a program gets", async () => {
  expect(process.env["DASHBOARD_ORIGIN"]).toBeUndefined();
  const requestContext = { requestId: "r1", http: { method: "GET" } };
  const event = { headers: { accept: chrome }, requestContext } as unknown as APIGatewayProxyEventV2;
  const context = { getRemainingTimeInMillis: () => 15_000 } as Context;
  expect(await handler(event, context)).toMatchObject({
    statusCode: 200,
    body: JSON.stringify({
      name: "svc",
      version: apiVersion,
      service_version: serviceVersion,
      availability: labels,
      openapi: "/openapi.json",
      dashboard: null,
    }),
  });
});
