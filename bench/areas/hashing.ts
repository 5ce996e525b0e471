import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { measureProcess, type ProcessMeasures } from "../harness/processes.ts";
import { inTurn, type Series } from "../harness/rounds.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const output = join(root, "build/bench/hashing");
const fileCount = 2_000;
const most = 0.65;

/** Hashing a folder of 1 GiB beside openssl, each a process of its own, the files in the system's cache. */
export async function hashing({ isQuick }: Effort): Promise<Section> {
  const totalBytes = isQuick ? 2 ** 28 : 2 ** 30;
  const { stdout: openssl } = await promisify(execFile)("openssl", ["version"]);
  const program = await buildProgram();
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-hashing-"));
  try {
    const files = await fill(folder, totalBytes);
    const series = await inTurn(
      {
        svc: () => measureProcess({ words: [process.execPath, program, folder] }),
        openssl: () => measureProcess({ words: ["openssl", "dgst", "-sha256", ...files] }),
        bare: () => measureProcess({ words: [process.execPath, "-e", "0"] }),
      },
      { rounds: isQuick ? 3 : 11, warmUps: 1 },
    );
    return section(series, { openssl: openssl.trim(), totalBytes });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bundled as the command line is, its second thread beside it. */
async function buildProgram(): Promise<string> {
  await build({
    absWorkingDir: root,
    entryPoints: { "hash-folder": "bench/peers/hash-folder.ts", "hash-worker": "cli/src/publish/hash-worker.ts" },
    outdir: output,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname" },
    logLevel: "error",
  });
  return join(output, "hash-folder.cjs");
}

/** Files of random bytes, in folders of a hundred. */
async function fill(folder: string, totalBytes: number): Promise<string[]> {
  const size = Math.floor(totalBytes / fileCount);
  for (let index = 0; index < fileCount; index += 1) {
    const place = join(folder, String(index % (fileCount / 100)));
    if (index < fileCount / 100) await mkdir(place);
    await writeFile(join(place, `${index}.bin`), randomBytes(size));
  }
  await writeFile(join(folder, "index.html"), "");
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

type Measured = Record<"svc" | "openssl" | "bare", Series<ProcessMeasures>>;

function section({ svc, openssl, bare }: Measured, of: { openssl: string; totalBytes: number }): Section {
  const bareMilliseconds = compare(bare.wallMilliseconds, bare.wallMilliseconds).ours;
  const hashingAlone = svc.wallMilliseconds.map((value) => value - bareMilliseconds);
  const alone = compare(hashingAlone, openssl.wallMilliseconds);
  const wall = compare(svc.wallMilliseconds, openssl.wallMilliseconds);
  const processor = compare(svc.processorMilliseconds, openssl.processorMilliseconds);
  const size = `${number(of.totalBytes / 2 ** 30)} GiB in ${fileCount.toLocaleString("en")} files`;
  const targets = [atMost(`hashing ${size} beside \`openssl dgst -sha256\``, alone, most, " ×")];
  const row = (name: string, { ours, theirs, ...rest }: Comparison) => [
    name,
    number(ours),
    number(theirs),
    ratio({ ours, theirs, ...rest }),
  ];
  return {
    targets,
    markdown: `## Hashing a folder

What \`svc publish\` does before its first request: it finds the files and hashes them, in its main thread and one more
that take the next file from one counter. ${size} of random bytes that the system has in its cache, beside
\`openssl dgst -sha256\` of the same files (${of.openssl}), which has one thread. On two free processors it cannot take less than half.

${targetList(targets)}

![Time to hash a folder](plots/hashing.svg)

${table(
  ["", "svc, ms", "openssl, ms", "ratio"],
  [
    row("hashing: without the start of Node", alone),
    row("the whole process", wall),
    row("processor time of the whole process", processor),
  ],
)}`,
    plots: {
      "hashing.svg": barChart({
        title: `Hashing ${size} takes ${alone.ratio.toFixed(2)} of openssl's time`,
        subtitle: "Milliseconds, the files in the system's cache; svc hashes in two threads; shorter is better",
        categories: ["time, without Node's start", "processor time, with it"],
        series: {
          "svc, in two threads": [alone.ours, processor.ours],
          "openssl dgst -sha256": [alone.theirs, processor.theirs],
        },
        label: number,
      }),
    },
  };
}
