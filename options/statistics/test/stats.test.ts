import { expect, test } from "@jest/globals";
import { oneDay } from "../../../test/support/one-day.ts";
import { usePublishingUser } from "../../../test/support/service/publishing-user.ts";
import { useFunctionEnvironment } from "../../../test/support/service/suite.ts";
import { storePlays, storeTwoPlayedReleases } from "./support/stored-plays.ts";

const user = usePublishingUser();
useFunctionEnvironment(user.service);

const today = await oneDay();
const stats = (...args: string[]) => user.svc(["stats", "--project", user.slug, ...args]);

test("svc stats shows days with their releases, countries and paths that fail", async () => {
  await storePlays(user.slug);
  const { code, stdout } = await stats();
  expect({ code, lines: stdout.trimEnd().split("\n") }).toEqual({
    code: 0,
    lines: [
      "DAY (UTC)   RELEASE  PLAYS  FIRST  SENT   ERRORS  FIRST BYTE",
      `${today}  #3       4      3      2 KiB  2       20 ms`,
      "Plays by country: DE 3, unknown 1",
      "404 /a: 2 times",
    ],
  });
});

test("svc stats --csv has a line for each day and release, and --json what the API responds with", async () => {
  await storePlays(user.slug);
  expect((await stats("--csv")).stdout).toBe(
    `day,release,release_number,first_plays,repeated_plays,requests,bytes,errors,first_byte_milliseconds\n${today},00VbbL3M8vSKHg8rDkhym8,3,3,1,20,2048,2,20\n`,
  );
  expect(JSON.parse((await stats("--json")).stdout)).toMatchObject({ to: today, countries: { DE: 3, unknown: 1 } });
});

test("svc stats shows what the latest update did, beside the release before it", async () => {
  await storeTwoPlayedReleases(user.slug, ["00VbbL3M8vSKHg8rDkhym8", "00VbbL3M8vSKHg8rDkhyn8"]);
  const lines = (await stats()).stdout.split("\n");
  expect(lines.slice(lines.indexOf("What update #2 did:")).slice(0, 4)).toEqual([
    "What update #2 did:",
    "RELEASE  PLAYS  ERRORS PER 100 PLAYS  FIRST BYTE",
    "#1       40     5                     80 ms",
    "#2       32     12.5                  50 ms",
  ]);
});

test("svc stats says so if nobody has played", async () => {
  expect((await stats("--from", today, "--to", today)).stdout).toBe(
    `Nobody has played ${user.slug} from ${today} to ${today}, as far as is counted yet.\n`,
  );
});
