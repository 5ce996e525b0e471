import { createHash, randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants, zstdDecompressSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Files, publishResult, writeFiles } from "../../support/cli/cli.ts";
import { actorsOf, type Developer, type TokenActor } from "../../support/service/actors.ts";
import { play, playFile } from "../../support/service/play.ts";
import { newProject, sha256 } from "../../support/service/steps.ts";
import { useCliUser, useService } from "../../support/service/suite.ts";
import { storedFile, storedManifests } from "../../support/table/stored-project.ts";

const service = useService();
let ada: Developer;
let token: TokenActor;
const person = useCliUser();
let slug: string;

beforeAll(async () => {
  ada = await actorsOf(service).developer();
  token = await ada.token({ scopes: ["publish"] });
});
beforeEach(async () => {
  slug = await newProject(ada);
});

const write = (files: Files) => writeFiles(join(person.home, "game"), files);

const script = "let score = 0;\n".repeat(500);
const env = () => ({ SVC_API: service.api, SVC_TOKEN: token.credential });

async function publish(...args: string[]) {
  const result = await person.run(["publish", "game", "--project", slug, "--json", ...args], { env: env() });
  const { code, stderr } = result;
  return { code, stderr, document: publishResult(result) };
}

/** Warnings in the output. */
const warnings = (stderr: string) => stderr.split("\n").filter((line) => line.includes("warning: "));

describe("svc publish", () => {
  test("opens another release if a variant has other bytes than the cache says", async () => {
    write({ "index.html": "<p>", "game.js": script });
    await publish("--dry-run");
    const [folder] = [join(person.home, ".cache", "svc", "compressed")];
    const { readdirSync, readFileSync } = await import("node:fs");
    const [name = ""] = readdirSync(folder);
    const file = join(folder, name);
    const remembered = JSON.parse(readFileSync(file, "utf8"));
    const [source = ""] = Object.keys(remembered);
    writeFileSync(file, JSON.stringify({ [source]: { size: 1, sha256: "a".repeat(64) } }));
    expect((await publish()).document).toMatchObject({ event: "published", sent: { files: 2, variants: 1 } });
    const { body } = await play(service, slug, { path: "/game.js", headers: { "accept-encoding": "br" } });
    expect(brotliDecompressSync(body).toString()).toBe(script);
  });

  describe("of an update", () => {
    const before = randomBytes(3_000_000);
    const change = randomBytes(20_000);
    const after = Buffer.concat([before.subarray(0, 1_000_000), change, before.subarray(1_010_000)]);
    const text = (bytes: Buffer) => bytes.subarray(990_000, 1_300_000).toString("base64");
    const game = (pack: Buffer) => ({ "index.html": "<p>", "levels/data 1.pck": pack, "game.js": text(pack) });

    test("makes deltas of a large file that is no script, for who has the release before and who missed that", async () => {
      const middle = Buffer.concat([before.subarray(0, 2_000_000), change, before.subarray(2_010_000)]);
      write(game(before));
      expect((await publish()).document).toMatchObject({ sent: { files: 3, deltas: 0 }, returning_players: null });
      write(game(middle));
      await publish();
      write(game(after));
      const { code, stderr, document } = await publish();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(document).toMatchObject({ event: "published", sent: { files: 2, deltas: 2 } });
      const manifests = await storedManifests(service, slug);
      const deltas: { dictionary: string; sha256: string }[] = manifests.flatMap(
        (manifest) => JSON.parse(manifest.split("\n")[0] || "{}").deltas?.[sha256(after)] ?? [],
      );
      const older = new Map([before, middle].map((pack) => [sha256(pack), pack]));
      expect(new Set(deltas.map(({ dictionary }) => dictionary))).toEqual(new Set(older.keys()));
      for (const { dictionary, sha256: hash } of deltas) {
        const delta = await storedFile(service, slug, hash);
        const bytes = zstdDecompressSync(delta.subarray(40), { dictionary: older.get(dictionary) as Buffer });
        expect(bytes.equals(after)).toBe(true);
      }
      const path = `/.well-known/svc/files/${sha256(after)}/levels/data%201.pck`;
      const digest = createHash("sha256").update(before).digest("base64");
      const headers = { "accept-encoding": "br, dcz", "available-dictionary": `:${digest}:` };
      const played = await play(service, slug, { path, headers });
      expect(played).toMatchObject({ status: 200, headers: { "content-encoding": "dcz" } });
      expect((await publish()).document.event).toBe("unchanged");
    });

    test("prints what they load", async () => {
      write(game(before));
      await publish();
      write({ ...game(after), "game.js": text(before) });
      const dry = await person.run(["publish", "game", "--project", slug, "--dry-run"], { env: env() });
      const { stdout } = await person.run(["publish", "game", "--project", slug], { env: env() });
      const sentence =
        /^Players who have the last release load [12]\d(\.\d)? KiB instead of 2\.9 MiB; in a frame on another site, such as a portal, they load all of it\.$/m;
      expect(dry.stdout).toMatch(sentence);
      expect(dry.stdout).toMatch(/unchanged; 1 file and 1 delta \(.*\) to send\./);
      expect(stdout).toMatch(sentence);
      expect(stdout).toMatch(/^Sent 1 file and 1 delta \(/m);
    });

    test("makes one of what Unity stored in Brotli, from what the older file unpacks to", async () => {
      const brotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
      const unity = (bytes: Buffer) => ({
        "index.html": "<p>",
        "Build/g.data.br": brotli(bytes),
        // The same bytes under names of which browsers unpack none as Brotli.
        "raw/g.data.br": brotli(bytes),
        "copy.bin": brotli(bytes),
      });
      writeFileSync(join(person.home, "svc.toml"), 'raw = ["raw/**"]');
      write(unity(before));
      await publish();
      write(unity(after));
      const { code, stderr, document } = await publish();
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("Build/g.data.br") });
      expect(document).toMatchObject({ event: "published", sent: { files: 1 } });
      const digest = createHash("sha256").update(before).digest("base64");
      const headers = { "accept-encoding": "br, dcz", "available-dictionary": `:${digest}:` };
      const played = await playFile(service, slug, { path: "/Build/g.data.br", headers });
      expect(played).toMatchObject({ status: 200, headers: { "content-encoding": "dcz" } });
      expect(zstdDecompressSync(played.body.subarray(40), { dictionary: before }).equals(after)).toBe(true);
      expect(played.body.length).toBeLessThan(change.length + 2_000);
      for (const path of ["/raw/g.data.br", "/copy.bin"]) {
        const other = await playFile(service, slug, { path, headers });
        expect(other.headers["content-encoding"]).toBeUndefined();
        expect(other.body.equals(brotli(after))).toBe(true);
      }
    });

    test("makes one of a file that browsers keep, from the one whose name has another hash", async () => {
      writeFileSync(join(person.home, "svc.toml"), 'immutable = ["levels/*"]');
      write({ "index.html": "<p>1", "levels/data-DkA3x9b2.pck": before });
      await publish();
      write({ "index.html": "<p>2", "levels/data-BkZ9fl1c.pck": after });
      rmSync(join(person.home, "game/levels/data-DkA3x9b2.pck"));
      const { document } = await publish();
      expect(document).toMatchObject({ event: "published", sent: { files: 2, deltas: 1 } });
      expect(document.returning_players.bytes).toBeLessThan(change.length + 2_000);
      const digest = createHash("sha256").update(before).digest("base64");
      const headers = { "accept-encoding": "br, dcz", "available-dictionary": `:${digest}:` };
      const played = await play(service, slug, { path: "/levels/data-BkZ9fl1c.pck", headers });
      expect(played).toMatchObject({
        status: 200,
        headers: { "content-encoding": "dcz", "use-as-dictionary": 'match="/levels/data-*.pck"' },
      });
      expect(zstdDecompressSync(played.body.subarray(40), { dictionary: before }).equals(after)).toBe(true);
    });
  });

  test("sends the settings of svc.toml, and a dry run shows them", async () => {
    write({ "index.html": "<p>", "assets/a.js": script });
    writeFileSync(
      join(person.home, "svc.toml"),
      'isolation = "credentialless"\nspa = true\nembedding = ["https://a.example"]\nimmutable = ["assets/**"]\n',
    );
    const dry = await person.run(["publish", "game", "--project", slug, "--dry-run"], { env: env() });
    expect(dry.stdout).toContain(
      "~ Threads (isolation): on, without credentials\n~ Keep in browsers (immutable): assets/**\n~ Single page (spa): on\n~ Embedding (frame): https://a.example\n",
    );
    await publish();
    const { status, headers } = await play(service, slug, { path: "/play/level" });
    expect({
      status,
      embedder: headers["cross-origin-embedder-policy"],
      policy: headers["content-security-policy"],
    }).toEqual({
      status: 200,
      embedder: "credentialless",
      policy: "frame-ancestors 'self' https://a.example",
    });
    const asset = await play(service, slug, { path: "/assets/a.js" });
    expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });
});

test("svc publish warns of likely mistakes of the build, and beside the live release, and publishes all the same", async () => {
  writeFileSync(join(person.home, "svc.toml"), 'immutable = ["assets/**"]\n');
  write({ "index.html": '<!doctype html><img src="none.png">', "assets/a.txt": "1" });
  const missing = "warning: index.html refers to none.png, which is not in the folder.";
  const first = await publish();
  expect({ code: first.code, warnings: warnings(first.stderr) }).toEqual({ code: 0, warnings: [missing] });
  write({ "assets/a.txt": "2" });
  const { code, stderr } = await publish();
  const kept = "warning: assets/a.txt has other bytes than in the live release, but browsers keep what is immutable";
  expect({ code, warnings: warnings(stderr) }).toEqual({ code: 0, warnings: [missing, expect.stringContaining(kept)] });
});
