import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { newProject, openRelease } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

/*
 * Messages of the command line about the quota (docs/decisions/0036-quota.md). The large files are sparse, so they take no space.
 */
const service = useService({ env: { BYTES_PER_PROJECT: "300000000", BYTES_PER_ACCOUNT: "400000000" } });
const user = usePublishingUser(service);
const { person, svc, publish, write } = user;

/** A folder with files of these lengths, which no disk has to store. */
function writeLarge(...sizes: number[]): void {
  write({ "index.html": "" });
  mkdirSync(join(person.home, "game"), { recursive: true });
  for (const [index, size] of sizes.entries()) {
    const file = join(person.home, "game", `${index}.bin`);
    writeFileSync(file, "");
    truncateSync(file, size);
  }
}

const refuse = async () => {
  const { code, stdout } = await publish();
  return { code, ...JSON.parse(stdout.trim().split("\n").at(-1) ?? "").error };
};

async function setUsed(bytes: number): Promise<void> {
  const ledger = keys.ledger(accountKey(service.issuer, user.developer.uid));
  await setAttribute(service, ledger, "usedBytes", bytes);
  await setAttribute(service, ledger, "usedObjects", 1);
}

test("a folder that no project can store is refused before it is hashed", async () => {
  writeLarge(200_000_000, 100_000_001);
  expect(await refuse()).toMatchObject({
    code: "quota_exceeded",
    exit_code: 6,
    message: "The folder has 286 MiB; the project may store 286 MiB. Nothing was hashed or sent.",
  });
});

test("a folder that the account has no room for is refused too, with what its other projects store", async () => {
  await setUsed(150_000_001);
  writeLarge(149_999_999, 100_000_001);
  expect(await refuse()).toMatchObject({
    code: "quota_exceeded",
    exit_code: 6,
    message:
      "The folder needs 238 MiB beside the 143 MiB stored; the account may store 381 MiB. Nothing was hashed or sent.",
  });
  await setUsed(0);
});

test("a folder that may fit is hashed, and the API decides", async () => {
  await setAttribute(service, keys.project(user.slug), "usedBytes", 299_000_000);
  await setAttribute(service, keys.project(user.slug), "usedObjects", 1);
  await setUsed(399_000_000);
  writeLarge(149_000_000, 101_000_001);
  expect(await refuse()).toMatchObject({
    code: "quota_exceeded",
    exit_code: 6,
    message: expect.stringContaining("The project may store 300,000,000 bytes and uses 299,000,000"),
    next: "svc whoami shows what is stored, svc projects list how much of each project.",
  });
  await setUsed(0);
});

test("files of one length may be one content, so they count once here", async () => {
  writeLarge(160_000_000, 160_000_000);
  expect((await publish("--dry-run")).code).toBe(0);
});

test("svc projects list shows what is stored of each", async () => {
  const slug = await newProject(user.developer);
  await openRelease(user.developer, slug, { "index.html": "x".repeat(2_000_000) });
  const { stdout } = await svc(["projects", "list"]);
  expect(stdout).toMatch(new RegExp(`^${slug} +owner +not live +1\\.9 MiB +${slug}$`, "m"));
});
