import { describe, expect, test } from "@jest/globals";
import { putStatistics } from "../../../functions/table/statistics/statistics-items.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../../support/cli/terminal.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { useFunctionEnvironment } from "../../support/service/suite.ts";

const user = usePublishingUser();
useFunctionEnvironment(user.service);

/** A day from today on: nothing before the project's creation is told. */
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const counted = (days: number, firstPlays: number, release = "a") =>
  putStatistics(user.slug, {
    ...{ day: dayAfter(days), release: release.repeat(43), firstPlays, repeatedPlays: 0, firstByteMilliseconds: 0 },
    ...{ requests: firstPlays, bytes: 0, countries: {}, errors: {}, failing: [] },
    ttl: Math.floor(Date.now() / 1_000) + 1_000,
  });

(hasTerminal ? describe : describe.skip)("svc stats on a terminal", () => {
  test("begins with a block for each day, as high as its plays of all releases, and a space for a day without", async () => {
    await counted(0, 6);
    await counted(0, 2, "b");
    await counted(2, 1);
    await counted(3, 4);
    const [from, to] = [dayAfter(0), dayAfter(3)];
    const args = `stats --project ${user.slug} --from ${from} --to ${to}`;
    const { code, shown } = await onPseudoTerminal(user.person, args, {
      env: { SVC_API: user.service.api, SVC_TOKEN: user.token.credential },
    });
    expect(code).toBe(0);
    expect(plainText(shown).split("\n").slice(0, 2)).toEqual([
      `█ ▁▄  plays a day, ${from} to ${to}`,
      "DAY (UTC)   RELEASE  PLAYS  FIRST  SENT  ERRORS  FIRST BYTE",
    ]);
  });
});
