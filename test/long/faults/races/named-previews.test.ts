import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { openRelease, publish } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * Changes of a preview with a name between the read and the write of another request about it.
 */
const service = useRecordedService();
const _actors = actorsOf(service);
const ada = useOwner(service);
useFunctionEnvironment(service);
let at: string;
const path = (rest: string) => `/projects/${ada.slug}/${rest}`;
beforeEach(() => {
  at = path("releases");
});

const opened = async (text: string): Promise<string> =>
  (await openRelease(ada, ada.slug, { "index.html": text })).body.release.id;
const show = (id: string, body: object = { name: "pr-12" }) => ada.post(`${at}/${id}/preview`, body);
const list = async () => (await ada.get(path("previews"))).body.previews;
const keep = () => ada.patch(path("previews/pr-12"), { kept: true });
const stored = async () => (await storedItem(service, keys.project(ada.slug))) as { previews?: object[] };
const manifestOfRelease = async (id: string) =>
  ((await storedItem(service, keys.release(ada.slug, id))) as { manifest: string }).manifest;
const overtaken = (by: () => Promise<unknown>, request: () => ReturnType<typeof show>) =>
  overtakenBy(service)(request, by);

describe("at the same time", () => {
  test("two pushes of one name make one preview with one URL", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    let other: Awaited<ReturnType<typeof show>> | undefined;
    const response = await overtaken(
      async () => {
        other = await show(second);
      },
      () => show(first),
    );
    expect(response.body.preview.url).toBe(other?.body.preview.url);
    expect(await list()).toMatchObject([{ name: "pr-12", release: { id: first } }]);
    expect((await stored()).previews).toMatchObject([{ earlier: [await manifestOfRelease(second)] }]);
  });

  test("a preview that is replaced while its name ends is gone, and stays if its release's ends", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    expect(
      (
        await overtaken(
          () => show(second),
          () => ada.delete(path("previews/pr-12")),
        )
      ).status,
    ).toBe(200);
    expect(await list()).toEqual([]);
    await show(first);
    expect(
      (
        await overtaken(
          () => show(second),
          () => ada.delete(`${at}/${first}/preview`),
        )
      ).status,
    ).toBe(200);
    expect(await list()).toMatchObject([{ release: { id: second } }]);
  });

  test("a preview that ends while it is replaced is opened with another URL", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    const before = (await show(first)).body.preview.url;
    const { body } = await overtaken(
      () => ada.delete(path("previews/pr-12")),
      () => show(second),
    );
    expect(body.preview.url).not.toBe(before);
    expect(await list()).toEqual([body.preview]);
  });

  test("a release that expires while its preview is opened or kept has none", async () => {
    const id = await opened("1");
    const expire = () => setAttribute(service, keys.release(ada.slug, id), "ttl", Math.floor(Date.now() / 1_000) - 1);
    expect(await overtaken(expire, () => show(id))).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    const other = await opened("2");
    await show(other);
    const expireOther = () =>
      setAttribute(service, keys.release(ada.slug, other), "ttl", Math.floor(Date.now() / 1_000) - 1);
    expect(await overtaken(expireOther, () => keep())).toMatchObject({ status: 404 });
  });

  test("an earlier release that goes live or is withdrawn while its preview is opened has none", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    const live = () => ada.post(`${at}/${first}/publish`);
    expect(await overtaken(live, () => show(first, {}))).toMatchObject({ status: 409, body: { code: "release_live" } });
    const withdrawn = () => ada.post(`${at}/${second}/withdraw`);
    expect(await overtaken(withdrawn, () => show(second, {}))).toMatchObject({
      status: 409,
      body: { code: "release_withdrawn" },
    });
    expect(await list()).toEqual([]);
  });

  test("a preview that goes live while it is kept is gone, and its release does not expire", async () => {
    const id = await opened("1");
    await show(id);
    const response = await overtaken(
      () => ada.post(`${at}/${id}/publish`, {}),
      () => keep(),
    );
    expect(response).toMatchObject({ status: 404, body: { code: "preview_not_found" } });
    expect((await ada.get(`${at}/${id}`)).body).toMatchObject({ status: "live", expires_at: null });
  });

  test("a preview that is replaced while it is kept is kept with the other release", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    const { body } = await overtaken(
      () => show(second),
      () => keep(),
    );
    expect(body.preview).toMatchObject({ kept: true, release: { id: second } });
    const { expires_at: end } = (await ada.get(`${at}/${first}`)).body;
    expect(Date.parse(end) - Date.now()).toBeLessThan(7.1 * 86_400_000);
  });
});
