import { beforeEach, expect, test } from "@jest/globals";
import { usePublishingUser } from "../support/service/publishing-user.ts";
import { publishScheduledAt, secondsAfter } from "../support/service/scheduled.ts";
import { liveRelease, minutesAhead, publish, readyRelease } from "../support/service/steps.ts";
import { useFunctionEnvironment } from "../support/service/suite.ts";

/*
 * svc live --at and --cancel.
 */
const user = usePublishingUser();
useFunctionEnvironment(user.service);

const run = (...args: string[]) => user.svc([...args, "-p", user.slug], { env: { TZ: "Europe/Berlin" } });
const live = () => liveRelease(user.developer, user.slug);
const at = minutesAhead(30);

/** A time as a person in Berlin writes it, without a zone. */
const inBerlin = (time: string) =>
  new Date(time).toLocaleString("sv-SE", { timeZone: "Europe/Berlin", dateStyle: "short", timeStyle: "short" });

let next: string;
beforeEach(async () => {
  await publish(user.token, user.slug, { "index.html": "live" });
  next = await readyRelease(user.token, user.slug, "next");
});

test("a time without a zone is of this machine's, which the output names", async () => {
  const { code, stdout } = await run("live", next, "--at", inBerlin(at));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^Release ${next} of ${user.slug} goes live on \\w+,? \\d+ \\w+ \\d{4} at ${inBerlin(at).slice(11)} \\(Europe/Berlin, UTC[+]0?[12](:00)?\\)\\.\\n`,
      ),
    ),
  });
  const { releases } = (await user.developer.get(`/projects/${user.slug}/releases`)).body;
  expect(releases[0]).toMatchObject({ id: next, schedule: { at } });
  expect((await run("releases")).stdout).toMatch(
    new RegExp(`\\n${next}  scheduled .*\\n.*goes live ${at.slice(0, 10)} ${at.slice(11, 16)} by token`),
  );
  await publishScheduledAt(secondsAfter(at, 1));
  expect(await live()).toBe(next);
});

test("a time with a zone is that time, --json has the release, and --cancel takes it back, once", async () => {
  const text = at.replace(":00.000Z", "+00:00");
  expect((await run("live", next, "--at", text, "--json")).json).toMatchObject({
    project: user.slug,
    status: "scheduled",
    release: { id: next, schedule: { at } },
  });
  const cancelled = await run("live", "--cancel");
  expect(cancelled).toMatchObject({ code: 0, stdout: `Release ${next} of ${user.slug} is not scheduled any more.\n` });
  expect(await run("live", "--cancel", "--json")).toMatchObject({ code: 1, json: { error: { code: "no_schedule" } } });
  await publishScheduledAt(secondsAfter(at, 1));
  expect(await live()).not.toBe(next);
});

test("another publication says which schedule it ends, unless it is to stay", async () => {
  await user.token.post(`/projects/${user.slug}/releases/${next}/schedule`, { at });
  user.write({ "index.html": "other" });
  const published = await user.svc(["publish", "game", "-p", user.slug]);
  expect(published.stdout).toContain(
    `Release ${next}, which was scheduled for ${at.slice(0, 10)} ${at.slice(11, 16)} UTC`,
  );
  await run("live", next, "--at", inBerlin(at), "--expect-current", "any");
  user.write({ "index.html": "and another" });
  expect((await user.svc(["publish", "game", "-p", user.slug])).stdout).not.toContain("was scheduled");
  await publishScheduledAt(secondsAfter(at, 1));
  expect(await live()).toBe(next);
});
