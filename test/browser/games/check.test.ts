import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { checkFolder } from "../../../cli/src/check/check-folder.ts";
import { DevTools } from "../../../cli/src/check/devtools.ts";
import { installedBrowser } from "../../../cli/src/check/installed-browser.ts";
import { screens } from "../../../cli/src/check/visit.ts";
import { sourceOf } from "../../../cli/src/dev/snapshot.ts";
import { UserError } from "../../../cli/src/errors.ts";
import { findProjectFile } from "../../../cli/src/project-file.ts";
import { publishResult, writeFiles } from "../../support/cli/cli.ts";
import { play } from "../../support/service/play.ts";
import { useCliUser, useOwner, useService } from "../../support/service/suite.ts";
import { brokenBuilds } from "./broken.ts";
import { builds } from "./builds.ts";
import { exportedGames } from "./exports.ts";

/* `svc check`: what it says of builds that are broken, and that it says nothing of engines. All share one browser. */

let devTools: DevTools;
let folder: string;
beforeAll(async () => {
  const program = installedBrowser(process.env["CHROMIUM"], { platform: process.platform, environment: process.env });
  devTools = await DevTools.start(program);
  folder = mkdtempSync(join(tmpdir(), "svc-checked-"));
});
afterAll(async () => {
  await devTools?.close();
  rmSync(folder, { recursive: true, force: true });
});

const [desktop, phone] = screens;

/** The same browser, of which a response is waited for no longer than three seconds: a game has 20, for which one that never ends computes. */
function impatient(): DevTools {
  const send: DevTools["send"] = (method, params, { session, withinMilliseconds = 3_000 } = {}) =>
    devTools.send(method, params, {
      ...(session && { session }),
      withinMilliseconds: Math.min(withinMilliseconds, 3_000),
    });
  return { send, listen: (listener: Parameters<DevTools["listen"]>[0]) => devTools.listen(listener) } as DevTools;
}

async function checkIn(name: string, waitSeconds: number, { onPhone = false, isEndless = false } = {}) {
  const directory = join(folder, name);
  const file = findProjectFile(directory) ?? { directory, content: {} };
  const chosen = onPhone ? phone : desktop;
  return await checkFolder({
    ...{ source: sourceOf(file, undefined), projectDirectory: directory, slug: undefined, waitSeconds },
    devTools: isEndless ? impatient() : devTools,
    ...(chosen && { screens: [chosen] }),
  });
}

/** All that the command says of a folder. */
async function saidOf(name: string, how: { readonly onPhone?: true; readonly isEndless?: true }): Promise<string[]> {
  try {
    const { problems, warnings } = await checkIn(name, 4, how);
    return [...problems.map(({ code }) => code), ...warnings];
  } catch (failure) {
    if (!(failure instanceof UserError)) throw failure;
    return [failure.code, failure.message];
  }
}

describe("svc check of a broken build", () => {
  const broken = brokenBuilds.map((build, index) => [build.name, `broken-${index}`, build] as const);
  /** What is said of each, until its test asks for it. */
  const found = new Map<string, Promise<string[]>>();
  /** Most of the time nothing may happen for seconds, so three are checked at once. */
  beforeAll(() => {
    const lines: Promise<unknown>[] = [];
    for (const [index, [, name, { files, ...how }]] of broken.entries()) {
      writeFiles(join(folder, name), files);
      const said = Promise.resolve(lines[index % 3]).then(() => saidOf(name, how));
      lines[index % 3] = said.catch(() => undefined);
      found.set(name, said);
    }
  });

  test.each(broken)("says what is wrong with %s", async (_, name, { says, ...how }) => {
    const begun = found.get(name);
    // Tried once more, it is checked again.
    found.delete(name);
    const said = await (begun ?? saidOf(name, how));
    if (typeof says === "string") expect(said).toContain(says);
    else expect(said.join("\n")).toMatch(says);
  });
});

/** The page of `preloading` only loads: it is as empty as a broken one. */
const { everyGame = false } = globalThis as { everyGame?: boolean };
const drawing = [...builds, ...exportedGames].filter(
  ({ name, startedBy }) => name !== "preloading" && (everyGame || startedBy !== "games"),
);

describe("svc check of a game that plays", () => {
  test.each(drawing.map((build) => [build.name, build] as const))(
    "says that %s starts, and nothing else",
    async (name, { write, settings = "", complains, isLarge = false }) => {
      const directory = join(folder, name);
      mkdirSync(join(directory, "game"), { recursive: true });
      await write(join(directory, "game"));
      writeFileSync(join(directory, "svc.toml"), `dir = "game"\n${settings}`);
      // Without a graphics card the screen of a phone, which has more pixels, takes a large engine longer than the check waits.
      for (const onPhone of isLarge ? [false] : [false, true]) {
        const { starts, problems } = await checkIn(name, 60, { onPhone });
        const unexpected = problems.filter(
          ({ code, places }) => code !== "console_error" || !places.every((place) => complains?.test(place)),
        );
        expect({ starts, unexpected }).toEqual({ starts: true, unexpected: [] });
      }
    },
  );
});

describe("svc publish --check", () => {
  const service = useService();
  const ada = useOwner(service);
  const person = useCliUser();

  test("publishes a game that starts, and says in the summary of a job how it was before", async () => {
    const { slug } = ada;
    const summary = join(person.home, "summary.md");
    const { credential } = await ada.token({ scopes: ["publish"] });
    const env = { SVC_API: service.api, SVC_TOKEN: credential, GITHUB_STEP_SUMMARY: summary };
    const run = (more: Readonly<Record<string, string>> = {}) =>
      person.run(["publish", "game", "--project", slug, "--check", "--json"], {
        env: { ...env, ...more },
      });

    writeFiles(join(person.home, "game"), { "index.html": "<h1>First</h1>" });
    const first = await run();
    expect(publishResult(first)).toMatchObject({ event: "published", check: { starts: true, before: null } });

    writeFiles(join(person.home, "game"), {
      "index.html": "<h1>Second</h1><script src='more.js'></script>",
      "more.js": "1",
    });
    const second = await run({ GITHUB_ACTIONS: "true" });
    const { check } = publishResult(second);
    expect(check.before).toMatchObject({ screen: "desktop", in_all: { requests: 1 } });
    expect(check.visits.map(({ in_all: all }: { in_all: object }) => all)).toMatchObject([
      { requests: 2 },
      { requests: 2 },
    ]);
    const text = readFileSync(summary, "utf8");
    expect(text).toMatch(/^\| screen \| first frame \| until then \| in all \| memory \|\n\| --- /m);
    expect(text).toMatch(/^\| desktop, before \| [\d.]+ s \| .*\n\| desktop, now \| .*\n\| phone, now \| /m);

    writeFiles(join(person.home, "game"), { "index.html": "<script>location.reload()</script>" });
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(publishResult(refused).error).toMatchObject({
      code: "does_not_start",
      places: [expect.stringMatching(/^The page loads itself/)],
    });
    expect(String((await play(service, slug)).body)).toContain("Second");
  }, 240_000);
});
