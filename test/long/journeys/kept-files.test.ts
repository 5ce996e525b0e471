import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { CliResult } from "../../support/cli/cli.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

const user = usePublishingUser();
const { person, publish, write } = user;

const settings = (text: string) => writeFileSync(join(person.home, "svc.toml"), text);
const warnings = ({ stderr }: CliResult) => stderr.split("\n").filter((line) => line.includes("warning: "));
const assets = 'immutable = ["assets/**"]\n';

const changed = (name: string, more = "") =>
  `warning: ${name}${more} has other bytes than in the live release, but browsers keep what is immutable for a year: give changed files new names.`;
const refused = (name: string, more = "") =>
  `warning: ${name}${more} may be kept by browsers without the headers of isolation, and an isolated page refuses such a worker: give scripts new names.`;
/** Settings that only a token has set end with their line in svc.toml. */
const ended = (setting: string) =>
  `warning: Not as in the live release: ${setting}. Only svc.toml and a person in the dashboard decide such settings; write into svc.toml what shall stay.`;

test("svc publish warns of a large file that is compressed as a whole, once it has changed", async () => {
  const files = (byte: string) => ({
    "index.html": "<p>",
    "game.data.gz": byte.repeat(1_048_576),
    "levels.ZIP": byte.repeat(1_048_576),
    "small.zip": byte.repeat(1_048_575),
    "open.pck": byte.repeat(1_048_576),
  });
  write(files("1"));
  expect(warnings(await publish())).toEqual([]);
  write(files("2"));
  expect(warnings(await publish())).toEqual([
    "warning: game.data.gz is compressed by the build, so returning players load all 1.0 MiB again after each change: export uncompressed; svc compresses it.",
  ]);
});

describe("svc publish warns, and publishes all the same, if browsers keep", () => {
  test("a file of an immutable path whose bytes changed", async () => {
    settings(assets);
    write({ "index.html": "<p>1", "assets/a.txt": "1", "assets/b.txt": "1", "other.txt": "1" });
    expect(warnings(await publish())).toEqual([]);
    write({ "index.html": "<p>2", "assets/a.txt": "2", "assets/new.txt": "1", "other.txt": "2" });
    expect(warnings(await publish("--dry-run"))).toEqual([changed("assets/a.txt")]);
    write({ "assets/b.txt": "2" });
    const result = await publish();
    expect({ code: result.code, warnings: warnings(result) }).toEqual({
      code: 0,
      warnings: [changed("assets/a.txt", " and 1 more")],
    });
    expect(warnings(await publish())).toEqual([]);
  });

  test("a changed file of a path that was immutable, and not of one that becomes it", async () => {
    write({ "index.html": "<p>", "assets/a.txt": "1" });
    await publish();
    settings(assets);
    write({ "assets/a.txt": "2" });
    expect(warnings(await publish())).toEqual([]);
    rmSync(join(person.home, "svc.toml"));
    write({ "assets/a.txt": "3" });
    expect(warnings(await publish())).toEqual([ended("Keep in browsers (immutable)"), changed("assets/a.txt")]);
  });

  test("immutable scripts from before isolation", async () => {
    settings(assets);
    write({ "index.html": "<p>", "assets/a.js": "1", "assets/a.txt": "1", "main.js": "1" });
    await publish();
    settings(`isolation = true\n${assets}`);
    write({ "assets/new.js": "1" });
    expect(warnings(await publish("--dry-run"))).toEqual([refused("assets/a.js")]);
    settings(`isolation = "credentialless"\n${assets}`);
    expect(warnings(await publish())).toEqual([refused("assets/a.js")]);
    settings(`isolation = true\n${assets}`);
    expect(warnings(await publish())).toEqual([]);
    settings(assets);
    expect(warnings(await publish())).toEqual([ended("Threads (isolation)")]);
  });

  test("no script that was not immutable before isolation", async () => {
    write({ "index.html": "<p>", "assets/a.js": "1" });
    await publish();
    settings(`isolation = true\n${assets}`);
    expect(warnings(await publish())).toEqual([]);
  });
});
