import { expect, test } from "@jest/globals";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { withProject } from "../../../test/support/service/operations.ts";
import { play } from "../../../test/support/service/play.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { opening } from "../../../test/support/service/visits.ts";

const service = useService({ env: { LEFT_OUT_OPTIONS: "saves" } });

test("a service without saves has no page for them, whether its game is live or offline", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  await publish(ada, ada.slug, { "index.html": "1" });
  const pageOf = async (path = "/.well-known/svc/saves") => {
    const { status, body } = await play(service, ada.slug, { path, headers: opening });
    return { status, text: String(body) };
  };
  const page = { status: 404, text: expect.not.stringContaining("Saved games") };
  expect(await pageOf()).toEqual(page);
  expect((await pageOf("/.well-known/svc/about")).text).not.toContain("saved games");
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect(await pageOf()).toEqual(page);
  expect((await pageOf("/")).text).not.toContain("saved games");
});
