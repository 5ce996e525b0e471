import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";

let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "svc-compile-cache-"));
});
afterEach(() => rmSync(temporary, { recursive: true }));

/** Programs that keep compiled code, each run so that it ends at once with a sentence of one of its modules. */
const programs = [
  { file: "programs/cdk.ts", environment: { CDK_CONTEXT_JSON: '{"stage":"prod"}' }, sentence: "has no stage" },
  { file: "programs/local.ts", environment: { PORT: "none" }, sentence: "a port number" },
];

describe.each(programs)("$file", ({ file, environment, sentence }) => {
  const run = (changes: object) =>
    spawnSync(process.execPath, [file], {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        TMPDIR: temporary,
        CDK_OUTDIR: join(temporary, "out"),
        ...environment,
        ...changes,
      },
    }).stderr;

  test("does not run code from the shared temporary folder", () => {
    const cache = join(temporary, "node-compile-cache");
    expect(run({ NODE_COMPILE_CACHE: cache })).toContain(sentence);
    const planted = "PLANTED".padEnd(sentence.length);
    plant(cache, sentence, planted);
    // The attack works on whoever uses that folder.
    expect(run({ NODE_COMPILE_CACHE: cache })).toContain(planted);
    const told = run({});
    expect(told).toContain(sentence);
    expect(told).not.toContain("PLANTED");
  });

  test("keeps compiled code in a folder of this checkout that only its owner can open", () => {
    run({});
    const folder = "node_modules/.cache/compiled";
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    expect(existsSync(join(temporary, "node-compile-cache"))).toBe(false);
  });
});

/**
 * Changes a compiled TypeScript module. Node stores the JavaScript that it made of it after five numbers, the last of
 * which is the CRC-32 of that text, and trusts both.
 */
function plant(cache: string, original: string, replacement: string): void {
  const paths = readdirSync(cache, { recursive: true, encoding: "utf8" }).map((name) => join(cache, name));
  for (const path of paths.filter((name) => statSync(name).isFile())) {
    const entry = readFileSync(path);
    const at = entry.indexOf(original);
    if (at === -1) continue;
    entry.write(replacement, at);
    entry.writeUInt32LE(crc32(entry.subarray(20)), 16);
    writeFileSync(path, entry);
  }
}

describe("a folder for compiled code", () => {
  /** @returns what a program that keeps its code in the folder writes to standard error, and whether it did */
  const keep = (folder: string) => {
    const module = JSON.stringify(pathToFileURL("infra/stacks/compile-cache.ts").href);
    const program = `import { useCompileCache } from ${module}; console.log(useCompileCache(${JSON.stringify(folder)}));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    return { isKept: stdout.trim(), stderr };
  };
  const refusal = (folder: string) => ({
    isKept: "false",
    stderr: `The compile cache is off, because other users may write to ${folder}. Remove it.\n`,
  });

  test("is made with mode 0700, its parents too, whatever the umask is", () => {
    const folder = join(temporary, "a/b");
    const umask = process.umask(0);
    try {
      expect(keep(folder)).toEqual({ isKept: "true", stderr: "" });
    } finally {
      process.umask(umask);
    }
    for (const path of [folder, join(temporary, "a")]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test.each([0o770, 0o707, 0o701])("with mode %o is not used", (mode) => {
    const folder = join(temporary, "open");
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(keep(folder)).toEqual(refusal(folder));
    expect(readdirSync(folder)).toEqual([]);
  });

  // Only root can make another user's folder. Whoever is not root sees that this was skipped.
  (process.getuid?.() === 0 ? test : test.skip)("of another user is not used, nor is the code in it", () => {
    const folder = join(temporary, "theirs");
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 65_534, 65_534);
    expect(keep(folder)).toEqual(refusal(folder));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that is a link is not used, wherever it leads", () => {
    const folder = join(temporary, "link");
    mkdirSync(join(temporary, "target"), { mode: 0o700 });
    symlinkSync("target", folder);
    expect(keep(folder)).toEqual(refusal(folder));
  });

  test("that cannot be made is not used, and the program runs", () => {
    writeFileSync(join(temporary, "file"), "");
    expect(keep(join(temporary, "file/folder"))).toEqual({ isKept: "false", stderr: "" });
  });
});
