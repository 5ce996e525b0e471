import { expect, test } from "@jest/globals";
import { play } from "../../../test/support/service/play.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { useOwner, useService } from "../../../test/support/service/suite.ts";
import { opening } from "../../../test/support/service/visits.ts";
import { sealedBody } from "./support/operations.ts";

const service = useService();
const ada = useOwner(service);

const without = (switched_off: readonly string[]) => ada.patch(`/projects/${ada.slug}`, { switched_off });
const pageOf = async (path = "/.well-known/svc/saves") => {
  const { status, body } = await play(service, ada.slug, { path, headers: opening });
  return { status, text: String(body) };
};
const page = { status: 200, text: expect.stringContaining("Saved games") };
const noPage = { status: 404, text: expect.not.stringContaining("Saved games") };

test("a project that does without the page takes no saved games to be sent by a link", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  const send = () => ada.post(`/.well-known/svc/saves/${ada.slug}`, sealedBody());
  await without(["saves"]);
  expect(await send()).toMatchObject({ body: { code: "saves_unavailable" } });
  await without([]);
  expect((await send()).body.code).toBeUndefined();
});

test("a project that does without the page for saved games has none and no link to it, whether it is live or offline", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  await without(["saves"]);
  expect(await pageOf()).toEqual(noPage);
  expect((await pageOf("/.well-known/svc/about")).text).not.toContain("saved games");
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect(await pageOf()).toEqual(noPage);
  expect((await pageOf("/")).text).not.toContain("saved games");
  await without([]);
  expect(await pageOf()).toEqual(page);
  expect((await pageOf("/")).text).toContain("saved games");
});
