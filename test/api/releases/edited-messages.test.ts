import { describe, expect, test } from "@jest/globals";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { openRelease, publish } from "../../support/service/steps.ts";
import { useEmptiedService, useSharedOwner } from "../../support/service/suite.ts";

const service = useEmptiedService();
const ada = useSharedOwner(service);
const overtaken = overtakenBy(service);

const pathOf = (id: string) => `/projects/${ada.slug}/releases/${id}`;
const edits = async () => {
  const { body } = await ada.get(`/projects/${ada.slug}/events`);
  return body.events.filter(({ type }: { type: string }) => type === "release_edited");
};

describe("PATCH /projects/:slug/releases/:id", () => {
  test("changes what is said of a release, by a token that publishes too, and the history says who did it", async () => {
    const id = await publish(ada, ada.slug, { "index.html": "1" });
    expect((await ada.get(pathOf(id))).body).toMatchObject({ message: null, message_edited_at: null });
    const token = await ada.token({ scopes: ["publish"] });
    const edited = await token.patch(pathOf(id), { message: "Faster ships" });
    expect(edited).toMatchObject({ status: 200, body: { message: "Faster ships", status: "live" } });
    expect(Date.parse(edited.body.message_edited_at)).toBeGreaterThan(Date.now() - 60_000);
    expect((await ada.get(pathOf(id))).body).toEqual(edited.body);
    expect((await ada.patch(pathOf(id), { message: null })).body).toMatchObject({ message: null });
    expect(await edits()).toMatchObject([
      { release_id: id, release_number: 1, by: { uid: ada.uid } },
      { release_id: id, message: "Faster ships", by: { uid: ada.uid }, token_id: token.id },
    ]);
    expect((await edits())[0]).not.toHaveProperty("message");
  });

  test("writes nothing if that is said already", async () => {
    const { body: opened } = await openRelease(ada, ada.slug, { "index.html": "1" });
    const { id } = opened.release;
    const [first, second] = [
      await ada.patch(pathOf(id), { message: "Draft" }),
      await ada.patch(pathOf(id), { message: "Draft" }),
    ];
    expect(second.body).toEqual(first.body);
    expect(await edits()).toHaveLength(1);
  });

  test("does not touch a deleted release, also if it is deleted meanwhile", async () => {
    const id = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    const edit = () => ada.patch(pathOf(id), { message: "Late" });
    const gone = { status: 409, body: { code: "release_withdrawn" } };
    expect(await overtaken(edit, () => ada.post(`${pathOf(id)}/withdraw`))).toMatchObject(gone);
    expect(await edit()).toMatchObject(gone);
    expect(await edits()).toEqual([]);
  });
});
