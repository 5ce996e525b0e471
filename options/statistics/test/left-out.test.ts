import { expect, test } from "@jest/globals";
import openApi from "../../../contract/documents/openapi.json" with { type: "json" };
import { actorsOf } from "../../../test/support/service/actors.ts";
import { withProject } from "../../../test/support/service/operations.ts";
import { useService } from "../../../test/support/service/suite.ts";

const service = useService({ env: { LEFT_OUT_OPTIONS: "statistics" } });

test("a service without statistics has no route for them, also in its document, and its list of projects no plays", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  const headers = { authorization: `Bearer ${ada.credential}` };
  const found = await fetch(`${service.api}/projects/${ada.slug}/statistics`, { headers });
  // As API Gateway responds to what is no route.
  expect({ status: found.status, body: await found.json() }).toEqual({ status: 404, body: { message: "Not Found" } });
  const document = (await (await fetch(`${service.api}/openapi.json`)).json()) as typeof openApi;
  const { "/projects/{slug}/statistics": _, ...others } = openApi.paths;
  expect(document.paths).toEqual(others);
  const { status, body } = await ada.get("/projects");
  expect({ status, plays: body.plays }).toEqual({ status: 200, plays: {} });
});
