import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { type ExportedRecord, exported, newProject, publish } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { storeItems } from "../../../test/support/table/stored.ts";
import { profileKeys } from "../functions/keys.ts";

const service = useService();
const of = (records: ExportedRecord[], kind: string) => records.filter((record) => record.kind === kind);

test("the export has each profile of an account's projects, after the last page of their releases, and no grant", async () => {
  const ada = await actorsOf(service).developer();
  const [played, many] = [await newProject(ada), await newProject(ada)];
  await publish(ada, played, { "index.html": "1" });
  const { body } = await ada.post(`/projects/${played}/telemetry-grants`);
  const at = "2026-01-01T00:00:00.000Z";
  const ids = Array.from({ length: 1_001 }, (_, index) => String(index).padStart(22, "0"));
  const release = { manifest: "x", files: 1, bytes: 1, createdAt: at };
  const profile = { id: "one", releaseId: ids[0], createdAt: at, grantExpiresAt: at, bytes: 0, ttl: 4_000_000_000 };
  await storeItems(service, [
    ...ids.map((id) => ({ ...keys.release(many, id), ...release, id })),
    { ...profileKeys.profile(many, "one"), ...profile },
  ]);

  const { records } = await exported(ada);
  expect(of(records, "profile")).toEqual(
    expect.arrayContaining([
      { kind: "profile", project: played, profile: body.profile },
      expect.objectContaining({ project: many, profile: expect.objectContaining({ id: "one" }) }),
    ]),
  );
  expect(of(records, "profile")).toHaveLength(2);
  expect(JSON.stringify(records)).not.toContain("tgr_");
});
