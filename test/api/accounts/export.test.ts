import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import {
  type ExportedRecord,
  exported,
  newProject,
  newSlug,
  offer,
  openRelease,
  publish,
} from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { itemsOf, setAttribute, storedItem, storeItems } from "../../support/table/stored.ts";

const service = useService();
const actors = actorsOf(service);

const of = (records: ExportedRecord[], kind: string) => records.filter((record) => record.kind === kind);

test("the export has each stored record of an account once, and nothing of other accounts", async () => {
  const ada = await actors.developer();
  const grace = await actors.otherDeveloper();
  await publish(grace, await newProject(grace), { "index.html": "1" });
  const tokens = [await ada.token(), await ada.token()];
  await tokens[0]?.get("/me");
  const [kept, empty, deleted, moved] = [
    await newProject(ada),
    await newProject(ada),
    await newProject(ada),
    await newProject(ada),
  ];
  const first = await publish(ada, kept, { "index.html": "1" });
  const { body } = await openRelease(ada, kept, { "index.html": "2" });
  await publish(ada, deleted, { "index.html": "3" });
  await ada.delete(`/projects/${deleted}`);
  await setAttribute(service, keys.project(moved), "ownerKey", "another");
  await ada.get("/oauth/device/BCDF-GHJK");
  const given = await newProject(grace);
  await offer(grace, given, ada);
  const keyed = { "content-type": "application/json", "idempotency-key": "one" };
  const slug = newSlug().padEnd(40, "x");
  await ada.send("POST", "/projects", { headers: keyed, body: JSON.stringify({ slug }) });

  const { account, records } = await exported(ada);
  expect(account).toMatchObject({ user: { uid: ada.uid, email: ada.email }, developer: {}, suspension: null });
  const { PK } = keys.account(accountKey(service.issuer, ada.uid));
  const stored = (await itemsOf(service, PK)).map(({ SK }) => String(SK));
  const count = (prefix: string) => stored.filter((key) => key.startsWith(prefix)).length;
  expect(
    of(records, "token")
      .map(({ token }) => token.id)
      .sort(),
  ).toEqual(tokens.map(({ id }) => id).sort());
  expect(of(records, "token").find(({ token }) => token.id === tokens[0]?.id).token.last_used_by).toMatchObject({
    client: "other",
  });
  expect(of(records, "event")).toHaveLength(count("EVENT#"));
  expect(of(records, "code_lookups")).toMatchObject([{ count: 1 }]);
  expect(
    of(records, "project")
      .map(({ project }) => project.slug)
      .sort(),
  ).toEqual([kept, empty, deleted, slug].sort());
  expect(of(records, "invitation")).toMatchObject([{ project: given }]);
  expect(of(records, "idempotent_creation")).toMatchObject([{ created: slug }]);
  const releases = of(records, "release");
  expect(releases.map(({ project }) => project).sort()).toEqual([kept, kept, deleted].sort());
  expect(releases.filter(({ project }) => project === kept).map(({ release }) => release.id)).toEqual([
    body.release.id,
    first,
  ]);
  const text = JSON.stringify(records);
  for (const { id, credential } of tokens) {
    const hash = (await storedItem(service, { PK, SK: `TOKEN#${id}` }))?.["hash"];
    expect(String(hash)).toHaveLength(44);
    expect(text).not.toContain(hash);
    expect(text).not.toContain(credential);
  }
});

test("a page has at most 1,000 records, and the next one continues", async () => {
  const ada = await actors.developer();
  const { PK } = keys.account(accountKey(service.issuer, ada.uid));
  const at = "2026-01-01T00:00:00.000Z";
  const ids = Array.from({ length: 1_001 }, (_, index) => String(index).padStart(22, "0"));
  await storeItems(
    service,
    ids.map((id) => ({ PK, SK: `EVENT#${id}`, id, at, type: "release_published" })),
  );
  const { records } = await exported(ada);
  expect(of(records, "event")).toHaveLength(1_003);
  const slug = await newProject(ada);
  const release = { manifest: "x", files: 1, bytes: 1, createdAt: at };
  await storeItems(
    service,
    ids.map((id) => ({ ...keys.release(slug, id), ...release, id })),
  );
  const { records: all } = await exported(ada);
  const found = of(all, "release").map(({ release: { id } }) => id);
  expect(found.toSorted()).toEqual(ids);
});

test("the export refuses foreign cursors", async () => {
  const ada = await actors.developer();
  const cursorOf = (text: string) => Buffer.from(text).toString("base64url");
  for (const cursor of [
    "x",
    cursorOf("accounts::"),
    cursorOf("owned:../x:"),
    cursorOf("tokens::#"),
    cursorOf("#tokens::"),
    cursorOf(`owned:${"a".repeat(41)}:`),
    cursorOf(`tokens::${"a".repeat(41)}`),
    cursorOf("toString::"),
  ])
    expect(await ada.get(`/me/export?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_cursor" },
    });
  const grace = await actors.otherDeveloper();
  const slug = await newProject(grace);
  await publish(grace, slug, { "index.html": "1" });
  const { body } = await ada.get(`/me/export?cursor=${cursorOf(`owned:${slug}:zzzzzzzzzzzzzzzzzzzzzz`)}`);
  expect(body.records).toEqual([]);
});
