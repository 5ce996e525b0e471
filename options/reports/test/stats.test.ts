import { expect, test } from "@jest/globals";
import { hasTerminal, onPseudoTerminal, plainText } from "../../../test/support/cli/terminal.ts";
import { usePublishingUser } from "../../../test/support/service/publishing-user.ts";
import { useFunctionEnvironment } from "../../../test/support/service/suite.ts";
import { crash, crashesAfterUpdate, goLive } from "./support/stored-crashes.ts";

const user = usePublishingUser();
useFunctionEnvironment(user.service);

const stats = (...args: string[]) => user.svc(["stats", "--project", user.slug, ...args]);
const owner = () => ({ ...user.token, slug: user.slug });
const linesOf = (text: string) => text.trimEnd().split("\n");

test("svc stats shows the crashes of releases beside their plays, and says if the live one is clearly worse", async () => {
  await crashesAfterUpdate(user.service, owner());
  const { code, stdout } = await stats();
  expect({ code, lines: linesOf(stdout).slice(-5) }).toEqual({
    code: 0,
    lines: [
      "Crashes that Chrome and Edge reported in the last 30 days; Firefox and Safari report none:",
      "RELEASE  CRASHES  PER 1,000 PLAYS  MOSTLY  ON",
      "#2       22       110.0            oom 22  phone 22",
      "#1       10       10.0             oom 10  phone 10",
      "#2 crashes clearly more often than #1. To go back: svc live 1",
    ],
  });
});

test("svc stats shows crashes of a release that nobody has played yet without a rate, and none for programs", async () => {
  const release = await goLive(owner());
  expect((await stats()).stdout).not.toContain("Crashes");
  await crash(user.slug, release, 2);
  expect(linesOf((await stats()).stdout).slice(-1)).toEqual(["#1       2                         oom 2   phone 2"]);
  expect((await stats("--csv")).stdout).not.toContain("Crashes");
  expect(JSON.parse((await stats("--json")).stdout)).not.toHaveProperty("releases");
});

(hasTerminal ? test : test.skip)(
  "svc rollback shows the crashes of both releases beside their plays before it asks",
  async () => {
    const rollback = async () => {
      const { shown } = await onPseudoTerminal(user.person, `rollback --project ${user.slug}`, {
        ...{ typed: "\r", typeAfter: "[y/N]" },
        env: { SVC_API: user.service.api, SVC_TOKEN: user.token.credential },
      });
      return linesOf(plainText(shown).replaceAll("\r", ""));
    };
    await goLive(owner());
    await goLive(owner());
    // Nobody has played them, and none has crashed.
    expect((await rollback())[0]).toMatch(/^Roll back /);
    await crashesAfterUpdate(user.service, owner());
    expect((await rollback()).slice(0, 4)).toEqual([
      "RELEASE  CRASHES PER 1,000 PLAYS (CHROME, EDGE)",
      "#4       110.0",
      "#3       10.0",
      expect.stringMatching(/^Roll back /),
    ]);
  },
);
