import { expect, test } from "@jest/globals";
import openApi from "../../../contract/documents/openapi.json" with { type: "json" };
import { actorsOf } from "../../../test/support/service/actors.ts";
import { withProject } from "../../../test/support/service/operations.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";

const service = useService({ env: { LEFT_OUT_OPTIONS: "profiles" } });

test("a service without profiles has no route for grants and profiles, also in its document, and no page that measures", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  await publish(ada, ada.slug, { "index.html": "1" });
  const headers = { authorization: `Bearer ${ada.credential}`, "content-type": "application/json" };
  for (const [method, path] of [
    ["POST", `/projects/${ada.slug}/telemetry-grants`],
    ["DELETE", `/projects/${ada.slug}/telemetry-grants/x`],
    ["GET", `/projects/${ada.slug}/profiles`],
    ["GET", `/projects/${ada.slug}/profiles/x`],
    ["POST", "/telemetry"],
  ] as const) {
    const found = await fetch(service.api + path, { method, headers });
    // As API Gateway responds to what is no route.
    expect({ path, status: found.status, body: await found.json() }).toEqual({
      path,
      status: 404,
      body: { message: "Not Found" },
    });
  }
  const document = (await (await fetch(`${service.api}/openapi.json`)).json()) as typeof openApi;
  const others = Object.keys(openApi.paths).filter((path) => !/telemetry|profiles/.test(path));
  expect(Object.keys(document.paths).toSorted()).toEqual(others.toSorted());
});
