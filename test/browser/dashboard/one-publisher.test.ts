import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, expect, test } from "@jest/globals";
import { createCliUser, publishResult } from "../../support/cli/cli.ts";
import { zipBytes } from "../../support/folder/zips.ts";
import { newSlug } from "../../support/service/steps.ts";
import { storedManifests } from "../../support/table/stored-project.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { visitor } from "./visitor.ts";

/*
 * The command line and the page publish the same folders to one service, and make the same release of each. What an encoder writes may
 * differ: bytes of Brotli copies, and deltas, which the page does not make (docs/decisions/0058-publishing-in-the-browser.md).
 */

const v = visitor();
const games = folders();
const person = createCliUser();
afterAll(() => person.leave());

/** Milliseconds that a busy machine takes for 18 MB. */
const longest = 300_000;

/** Advice; the page names places in the sentence alone. */
interface Said {
  readonly code: string;
  readonly places?: readonly string[];
  readonly message?: unknown;
}

/** A release, or why there is none: which of its files are named. */
type Result =
  | { readonly refused: readonly string[] }
  | {
      readonly settings: object;
      readonly picture: boolean;
      readonly manifests: readonly (readonly string[])[];
      readonly advice: readonly Said[];
    };

const byCode = (a: Said, b: Said) => a.code.localeCompare(b.code);

async function stored(slug: string): Promise<Omit<Extract<Result, { settings: object }>, "advice">> {
  const { body: project } = await v.ada.get(`/projects/${slug}`);
  const { body } = await v.ada.get(`/projects/${slug}/releases/${project.current_release.id}/changes`);
  const manifests = (await storedManifests(v.service, slug)).map((text) =>
    text
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split("\t"))
      // A fourth field alone is an encoding.
      .map(([path, size, sha256, more = "", br]) => [path, size, sha256, br ? "with a copy" : more].join(" ")),
  );
  return {
    settings: body.settings,
    picture: project.picture_url !== null,
    manifests: manifests.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
  };
}

async function byCommandLine(paths: readonly string[]): Promise<Result> {
  const slug = newSlug();
  const token = await v.ada.token({ scopes: ["publish", "projects"] });
  await v.ada.post("/projects", { slug });
  let advice: readonly Said[] = [];
  for (const path of paths) {
    const env = { SVC_API: v.service.api, SVC_TOKEN: token.credential };
    // svc.toml is that of the folder where svc is started.
    const where = path.endsWith(".zip") ? { at: path, cwd: games.parent } : { at: ".", cwd: path };
    const result = await person.run(["publish", where.at, "--project", slug, "--json"], { env, cwd: where.cwd });
    const { error, advice: said } = publishResult(result);
    if (error) return { refused: placesIn(error.places ?? []) };
    advice = said;
  }
  return { ...(await stored(slug)), advice: advice.toSorted(byCode) };
}

async function byPage(paths: readonly string[]): Promise<Result> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  let advice: readonly Said[] = [];
  for (const path of paths) {
    await drop(v.page, path);
    const publish = v.button("Publish");
    const problem = v.page.locator("dialog .notice.problem");
    await publish.or(problem).first().waitFor({ timeout: longest });
    if (await problem.isVisible()) return { refused: placesIn(await problem.locator("li").allTextContents()) };
    advice = await v.page
      .locator("dialog p[data-code]")
      .evaluateAll((all) => all.map((one) => ({ code: one.dataset["code"] ?? "", message: one.textContent })));
    await publish.click();
    await v.page.getByText("It is live.").waitFor({ timeout: longest });
    await v.button("Close").last().click();
  }
  return { ...(await stored(slug)), advice: advice.toSorted(byCode) };
}

/** What the page says of the same advice. */
const onPage = ({ code, places: [place] = [] }: Said): Said => ({
  code,
  message: expect.stringContaining(place ?? ""),
});

function placesIn(places: readonly string[]): string[] {
  return places.map((place) => place.split(":")[0] ?? "").sort();
}

type Files = Readonly<Record<string, string | Uint8Array>>;
const page = "<!doctype html><title>Bounce</title><script src=game.js></script>";
const script = `console.log("bounce");${"// padding ".repeat(200)}`;
const game: Files = { "index.html": page, "game.js": script, "cover.png": "picture" };

/** A zip file with these files. */
async function zipped(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(games.parent, `${name}.zip`);
  writeFileSync(path, await zipBytes(files));
  return path;
}

const text = game as Readonly<Record<string, string>>;
/** Above 16 MiB a file is sent in parts. Nobody tries to compress a video. */
const changed = () => {
  const bytes = randomBytes(18_000_000);
  const one = games.write("changed-1", { ...game, "intro.mp4": bytes });
  bytes.set(randomBytes(50_000), 8_000_000);
  return [one, games.write("changed-2", { ...game, "intro.mp4": bytes })];
};
const utf16 = (words: string) => Buffer.from(`\ufeff${words}`, "utf16le");

const isLive = { manifests: expect.any(Array) };

test.each<[string, () => readonly string[] | Promise<readonly string[]>, expected: object]>([
  [
    "of a build with threads and hashed names",
    () => [
      games.write("threads", {
        ...game,
        "game.worker.js": "new SharedArrayBuffer(8)",
        "assets/index-DkA3x9b2.js": script,
        "vercel.json": "{}",
      }),
    ],
    {
      settings: { isolation: true },
      advice: [
        { code: "files_of_other_hosts", places: ["vercel.json"] },
        { code: "hashed_names", places: ["assets/index-DkA3x9b2.js"] },
      ],
    },
  ],
  ["in a zip whose names begin with ./", async () => [await zipped("dotted", dotted(text))], isLive],
  [
    "with two names for one file",
    () => [games.write("twins", { ...game, "a/b.txt": "1", "A/b.txt": "2" })],
    { refused: ["a/b.txt"] },
  ],
  [
    "with an ignore file in UTF-16 and a file named .br that is none",
    () => [
      games.write("utf16", {
        ...{ ...game, "notes.txt": "private", ".svcignore": utf16("notes.txt\r\n") },
        ...{ "level.data.br": "text", "engine.data.br": brotliCompressSync(script) },
      }),
    ],
    {
      manifests: [
        ["cover", "engine", "game", "index", "level.data.br 4 \\w+ identity"].map((name) =>
          expect.stringMatching(`^${name}`),
        ),
      ],
    },
  ],
  [
    "in which a file changes that browsers keep",
    () =>
      ["1", "2"].map((version) =>
        games.write(`kept-${version}`, {
          ...game,
          "svc.toml": 'immutable = ["assets/**"]\n',
          "assets/level.json": `${version}${script}`,
        }),
      ),
    { advice: [{ code: "bytes_changed_where_immutable", places: ["assets/level.json"] }] },
  ],
  ["of 18 MB, in which 50 kB change", changed, { manifests: [expect.any(Array), expect.any(Array)] }],
])(
  "a folder %s is the same release by the command line and by the page",
  async (_, write, expected) => {
    v.page.setDefaultTimeout(90_000);
    const paths = await write();
    const [line, dropped] = [await byCommandLine(paths), await byPage(paths)];
    expect(line).toMatchObject(expected);
    expect(dropped).toEqual("advice" in line ? { ...line, advice: line.advice.map(onPage) } : line);
  },
  longest,
);

function dotted(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`./${path}`, content]));
}
