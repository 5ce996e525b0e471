import { describe, expect, test } from "@jest/globals";
import { publishResult } from "../../../../../test/support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../../../../../test/support/cli/terminal.ts";
import { sendJson, startMisbehavingServer } from "../../../../../test/support/network/misbehaving-server.ts";
import { usePublishingUser } from "../../../../../test/support/service/publishing-user.ts";
import { useFunctionEnvironment, useServers } from "../../../../../test/support/service/suite.ts";
import { storePlays, storeTwoPlayedReleases } from "../../support/stored-plays.ts";

const user = usePublishingUser();
useFunctionEnvironment(user.service);

/** A day from today on: nothing before the project's creation is told. */
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const counted = (days: number, firstPlays: number, release = "a") =>
  storePlays(user.slug, { day: dayAfter(days), release: release.repeat(43), firstPlays, repeatedPlays: 0 });

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
      "DAY (UTC)   RELEASE  PLAYS  FIRST  SENT   ERRORS  FIRST BYTE",
    ]);
  });
});

(hasTerminal ? describe : describe.skip)("svc rollback on a terminal", () => {
  const keep = useServers();
  const roll = async (typed: string, api = user.service.api) => {
    const { code, shown } = await onPseudoTerminal(user.person, `rollback --project ${user.slug}`, {
      typed,
      typeAfter: "[y/N]",
      env: { SVC_API: api, SVC_TOKEN: user.token.credential },
    });
    return { code, shown: plainText(shown).replaceAll("\r", "") };
  };

  /** The service, whose statistics cannot be read. */
  const withoutStatistics = () =>
    keep(
      startMisbehavingServer(async ({ url = "", method = "GET", headers }, response) => {
        if (url.includes("/statistics")) return sendJson(response, 503, { code: "x", detail: "No statistics now." });
        const { authorization = "", "idempotency-key": key } = headers;
        const sent = { method, headers: { authorization, ...(key && { "idempotency-key": String(key) }) } };
        const received = await fetch(`${user.service.api}${url}`, sent);
        return sendJson(response, received.status, await received.json());
      }),
    );

  test("shows how both releases were played before it asks; a failure of that is said at once, and is not in the way", async () => {
    const releases: string[] = [];
    for (const content of ["one", "two"]) {
      user.write({ "index.html": content });
      releases.push(publishResult(await user.publish()).release);
    }
    const [first = "", second = ""] = releases;
    expect((await roll("\r")).shown).toMatch(/^Roll back /);
    await storeTwoPlayedReleases(user.slug, [first, second]);
    const asked = await roll("\r");
    expect(asked.shown.split("\n").slice(0, 3)).toEqual([
      "RELEASE  PLAYS  ERRORS PER 100 PLAYS  FIRST BYTE",
      "#2       32     12.5                  50 ms",
      "#1       40     5                     80 ms",
    ]);
    expect(asked.shown.split("\n")[3]).toMatch(new RegExp(`^Roll back ${user.slug} from #2 `));

    const { origin, requests } = await withoutStatistics();
    const { code, shown } = await roll("y\r", origin);
    expect(shown).toMatch(/Not all is known: No statistics now\.\s+Roll back /);
    expect(requests.filter(({ url = "" }) => url.includes("/statistics"))).toHaveLength(1);
    expect({ code, live: (await user.developer.get(`/projects/${user.slug}`)).body.current_release.id }).toEqual({
      code: 0,
      live: first,
    });
  });
});
