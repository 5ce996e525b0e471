import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { readProject } from "../../../../../functions/table/projects/project-items.ts";
import { setTrafficLimit } from "../../../../../functions/table/projects/traffic-limit-items.ts";
import { usePublishingUser } from "../../../../../test/support/service/publishing-user.ts";
import { useFunctionEnvironment, useService } from "../../../../../test/support/service/suite.ts";
import { query } from "../../../functions/athena.ts";
import { storePlays, storeTraffic } from "../../support/stored-plays.ts";

const mebibytes = (count: number) => String(count * 1_048_576);
const env = { TRAFFIC_BYTES_PER_PROJECT: mebibytes(10), TRAFFIC_BYTES_PER_ACCOUNT: mebibytes(40) };
const user = usePublishingUser(useService({ env }));
useFunctionEnvironment(user.service, () => user.service.optionEnvironment);

const stats = async (...args: string[]) =>
  (await user.svc(["stats", "--project", user.slug, ...args])).stdout.trimEnd().split("\n");

test("svc stats ends with what is used of the month's limits of traffic, and until when one stops players", async () => {
  await storeTraffic(user.slug, 8 * 1_048_576);
  const used = [
    "Sent this month: 8 MiB of at most 10 MiB (80 %)",
    "Sent this month by all your projects: 8 MiB of at most 40 MiB (20 %)",
  ];
  expect((await stats()).slice(1)).toEqual(used);
  await storePlays(user.slug);
  expect((await stats()).slice(-2)).toEqual(used);
  const project = await readProject(user.slug);
  if (project === undefined) throw new Error("There is no project");
  await setTrafficLimit(project, new Date("2099-12-01T00:00:00.000Z"), new Date());
  expect((await stats()).slice(-3)).toEqual([
    ...used,
    "Players get a page until 2099-12-01 00:00 UTC, because a limit of traffic is reached.",
  ]);
  expect(await stats("--csv")).toHaveLength(2);
});

test("files that svc publish reads to make deltas do not count as traffic", async () => {
  const before = randomBytes(3_000_000);
  user.write({ "index.html": "<p>", "level.pck": before });
  expect((await user.publish()).code).toBe(0);
  user.write({ "index.html": "<p>", "level.pck": Buffer.concat([randomBytes(20_000), before.subarray(20_000)]) });
  const { stdout } = await user.publish();
  expect(stdout).toMatch(/"deltas": ?1/);
  const rows = query(`SELECT count(*) FROM access_log WHERE x_host_header LIKE '${user.slug}.%'`);
  expect(await rows.next()).toMatchObject({ value: ["0"] });
});
