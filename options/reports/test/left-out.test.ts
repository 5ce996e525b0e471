import { expect, test } from "@jest/globals";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { withProject } from "../../../test/support/service/operations.ts";
import { play } from "../../../test/support/service/play.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { opening } from "../../../test/support/service/visits.ts";
import { itemsOf } from "../../../test/support/table/stored.ts";
import { crashReport, nameOf } from "./support/operations.ts";

const service = useService({ env: { LEFT_OUT_OPTIONS: "reports" } });

test("a service without reports asks no browser for them, and takes none", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  const folder = { "index.html": "1" };
  await publish(ada, ada.slug, folder);
  const { status, headers } = await play(service, ada.slug, { path: "/", headers: opening });
  expect([status, headers["reporting-endpoints"]]).toEqual([200, undefined]);
  const path = `/.well-known/svc/reports/${ada.slug}/${nameOf(folder)}`;
  const sent = await fetch(service.api + path, {
    method: "POST",
    headers: { "content-type": "application/reports+json" },
    body: JSON.stringify([crashReport]),
  });
  // As API Gateway responds to what is no route; the game's host refuses the method.
  expect({ status: sent.status, body: await sent.json() }).toEqual({ status: 404, body: { message: "Not Found" } });
  expect((await play(service, ada.slug, { method: "POST", path })).status).toBe(405);
  expect(await itemsOf(service, `CRASHES#${ada.slug}`)).toEqual([]);
});
