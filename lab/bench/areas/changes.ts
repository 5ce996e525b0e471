import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newProject } from "../../../test/support/service/steps.ts";
import { type Area, type Effort, type Measurement, number } from "../area.ts";
import { measureProcess, type ProcessMeasures } from "../harness/processes.ts";
import { changes, godotPacker, type Packer, plainPacker, randomAssets, unityPacker } from "../parts/changed-packs.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { withService } from "../parts/service.ts";
import { startStoreProcess, storeEnvironment } from "../parts/store-process.ts";

const packs = ["assets alone", "a .pck of Godot", "a .data of Unity"] as const;
const figureOf = (change: string, pack: string) => `bytes sent after ${change}, of ${pack}, beside all`;
const [threeChanged = "", addedAtHead = ""] = Object.keys(changes);

const reasonNotMet =
  "a changed place costs a part of 5 MiB, or two if it lies across their border, and a pack's list of files one more; S3 takes no smaller parts, and parts cut by content would give the same bytes several names (decision 59)";

/** Bytes that a publication sends of a large file that has changed a little. */
export const area: Area = {
  name: "changes",
  title: "Publishing a large file that changed a little",
  method: `\`svc publish\`, packed and installed, of a page and 300 MB of assets (20 kB to 2 MB of random bytes) in one file: the assets alone, packed by Godot 3's own
exporter, and as Unity packs its .data: a new one, then three of its assets changed, then one more at its head. Each is published from a machine with an empty
home, as a CI job is. Sent is everything, the index too, by \`--json\`; the other parts of 5 MiB are copied by the store. butler, by its documentation, compares
blocks of 64 KiB and sends what is in none of them, and uploads nothing else: by our estimate 0.2 to 1 % here; it needs a server of its own that makes the file of them.`,
  decides: [figureOf(threeChanged, packs[0]), figureOf(addedAtHead, packs[0])],
  targets: Object.fromEntries(
    packs.flatMap((pack) => [
      [figureOf(threeChanged, pack), { atMost: 0.06, reasonNotMet }],
      [figureOf(addedAtHead, pack), { atMost: 0.02 }],
    ]),
  ),
  measure,
};

const godot = "/usr/bin/godot3-server";

interface Published extends ProcessMeasures {
  readonly sent: number;
}

const partBytes = 5 * 2 ** 20;
/** Bytes beside the file: more than the page and the index have. */
const besidesBytes = 100_000;

async function measure({ isQuick }: Effort): Promise<Measurement> {
  if (!existsSync(godot)) throw new Error("This area packs with Godot: install Debian's godot3-server first");
  const size = isQuick ? 17_000_000 : 300_000_000;
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const store = await startStoreProcess();
  try {
    const svc = await installSvc();
    const packers: Record<(typeof packs)[number], Packer> = {
      "assets alone": plainPacker,
      "a .pck of Godot": godotPacker(godot),
      "a .data of Unity": unityPacker,
    };
    return await withService(
      async (service) => {
        const ada = await service.actors.developer();
        const { credential } = await ada.token({ scopes: ["publish"] });
        const figures: Record<string, { value: number; unit: string }> = {};
        const rows: string[][] = [];
        for (const [pack, packer] of Object.entries(packers)) {
          const publish = async (slug: string, bytes: Buffer): Promise<Published> => {
            const machine = await mkdtemp(join(home, "machine-"));
            const [folder, output] = [join(machine, "game"), join(machine, "result.json")];
            await mkdir(folder);
            await writeFile(join(folder, "index.html"), "<title>Game</title>");
            await writeFile(join(folder, packer.file), bytes);
            const script = `exec "${svc}" publish "${folder}" --project ${slug} --json > "${output}"`;
            const env = { HOME: machine, SVC_API: service.api, SVC_TOKEN: credential };
            const measures = await measureProcess({ words: ["/bin/sh", "-c", script], env, cwd: machine });
            const lines = (await readFile(output, "utf8")).trim().split("\n");
            const { sent } = JSON.parse(lines.at(-1) ?? "");
            await rm(machine, { recursive: true });
            return { ...measures, sent: sent.bytes };
          };
          const row = (what: string, all: number, published: Published) => {
            const { sent, wallMilliseconds, memoryMebibytes } = published;
            const parts = Math.ceil(Math.max(0, sent - besidesBytes) / partBytes);
            console.log(`${pack}, ${what}: ${sent} of ${all} bytes`);
            const copied = Math.ceil(all / partBytes) - parts;
            const cells = [sent / 1e6, (100 * sent) / all, parts, copied, wallMilliseconds / 1_000];
            rows.push([`${pack}, ${what}`, ...cells.map(number), number(memoryMebibytes)]);
          };
          let assets = randomAssets(size);
          const slug = await newProject(ada);
          const first = await packer.pack(assets, home);
          row("new", first.length, await publish(slug, first));
          for (const [change, changed] of Object.entries(changes)) {
            assets = changed(assets);
            const next = await packer.pack(assets, home);
            const published = await publish(slug, next);
            row(change, next.length, published);
            figures[figureOf(change, pack)] = { value: published.sent / next.length, unit: "×" };
          }
        }
        return {
          figures,
          table: { head: ["what", "sent, MB", "%", "parts sent", "parts copied", "s", "peak memory, MiB"], rows },
        };
      },
      { env: storeEnvironment(store.endpoint) },
    );
  } finally {
    await store.stop();
    await rm(home, { recursive: true, force: true });
  }
}
