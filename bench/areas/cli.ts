import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { type Command, findProgram, measureProcess } from "../harness/processes.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { installSvc, installWrangler, wranglerVersion } from "../peers/installed-cli.ts";
import { startWhoamiServer } from "../peers/whoami-server.ts";
import { type BenchService, withService } from "../stage/bench-stage.ts";

interface Row {
  readonly name: string;
  readonly wall: Comparison;
  readonly processorMilliseconds: number;
  readonly memoryMebibytes: number;
}

const bareNode = "node -e 0";
const fileCount = 20;

/** What a person waits for: the packed and installed command line beside bare Node and other command lines. */
export async function cli({ isQuick }: Effort): Promise<Section> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const { endpoint, server } = await startWhoamiServer();
  try {
    return await withService(async (stage) => {
      const commands = { ...(await ownCommands(stage, home)), ...(await otherCommands(endpoint, home)) };
      const contenders = Object.fromEntries(
        Object.entries(commands).map(([name, command]) => [name, () => measureProcess(command)]),
      );
      const series = await inTurn(contenders, { rounds: isQuick ? 3 : 21, warmUps: 2 });
      const bare = series[bareNode]?.wallMilliseconds ?? [];
      const rows = Object.entries(series).map(([name, measures]) => ({
        name,
        wall: compare(measures["wallMilliseconds"] ?? [], bare),
        processorMilliseconds: compare(measures["processorMilliseconds"] ?? [], bare).ours,
        memoryMebibytes: compare(measures["memoryMebibytes"] ?? [], bare).ours,
      }));
      const whoami = compare(
        series["svc whoami"]?.wallMilliseconds ?? [],
        series["npm whoami"]?.wallMilliseconds ?? [],
      );
      return section(rows, whoami);
    });
  } finally {
    server.close();
    await rm(home, { recursive: true });
  }
}

async function ownCommands(stage: BenchService, home: string): Promise<Record<string, Command>> {
  const svc = await installSvc();
  const developer = await stage.actors.developer();
  const token = await developer.token({ scopes: ["publish", "projects"] });
  await developer.post("/projects", { slug: "bench-game" });
  await mkdir(join(home, "game"));
  for (let index = 0; index < fileCount; index += 1)
    await writeFile(join(home, "game", index === 0 ? "index.html" : `level-${index}.json`), `level ${index}`);
  const env = { HOME: home, SVC_API: stage.api, SVC_TOKEN: token.credential };
  const publish = { words: [svc, "publish", "game", "--project", "bench-game"], env, cwd: home };
  await measureProcess(publish);
  return {
    [bareNode]: { words: [process.execPath, "-e", "0"], env: { HOME: home } },
    "svc --version": { words: [svc, "--version"], env },
    "svc whoami": { words: [svc, "whoami"], env },
    [`svc publish, ${fileCount} files unchanged`]: publish,
  };
}

/** Each asks a server on loopback that answers at once; svc asks the real stage. */
async function otherCommands(endpoint: string, home: string): Promise<Record<string, Command>> {
  const { host } = new URL(endpoint);
  const npm: Command = {
    words: ["npm", "whoami", "--registry", `${endpoint}/`, `--//${host}/:_authToken=x`, "--no-update-notifier"],
    env: { HOME: home },
  };
  const gh = await findProgram("gh");
  const wrangler = await installWrangler();
  return {
    "npm whoami": npm,
    ...(gh && {
      "gh auth status": {
        words: [gh.path, "auth", "status", "--hostname", "github.localhost"],
        env: {
          HOME: home,
          http_proxy: endpoint,
          GH_HOST: "github.localhost",
          GH_TOKEN: "x",
          GH_NO_UPDATE_NOTIFIER: "1",
        },
      },
    }),
    ...(wrangler && {
      "wrangler whoami": {
        words: [process.execPath, wrangler, "whoami"],
        env: {
          HOME: home,
          CLOUDFLARE_API_BASE_URL: `${endpoint}/client/v4`,
          CLOUDFLARE_API_TOKEN: "x",
          WRANGLER_SEND_METRICS: "false",
        },
      },
    }),
  };
}

/** Beside bare Node, beside npm, and of memory. */
const most = { version: 1.5, whoami: 2.5, npm: 0.5, memoryMebibytes: 65 };

function section(rows: readonly Row[], whoamiAgainstNpm: Comparison): Section {
  const of = (name: string) => rows.find((row) => row.name === name) as Row;
  const whoami = of("svc whoami");
  const version = of("svc --version");
  const targets = [
    atMost("`svc --version` beside bare Node", version.wall, most.version, " ×"),
    atMost("`svc whoami` beside bare Node", whoami.wall, most.whoami, " ×"),
    atMost("`svc whoami` beside `npm whoami`", whoamiAgainstNpm, most.npm, " ×"),
    atMost("`svc whoami`, peak memory", whoami.memoryMebibytes, most.memoryMebibytes, " MiB"),
  ];
  return {
    targets,
    markdown: `## The command line

Packed, installed into a prefix of its own and run as a person does, every command a process of its own. \`svc whoami\`
asks the real local service; the others ask a server on loopback that answers at once. npm is the one on this machine's PATH,
run by the same Node; gh is Debian's; wrangler ${wranglerVersion} is from npm. What is missing in the table is not on this machine.

${targetList(targets)}

![Time of command lines](plots/cli.svg)

${table(
  ["command", "ms", "× bare Node", "processor, ms", "peak memory, MiB"],
  rows.map(({ name, wall, processorMilliseconds, memoryMebibytes }) => [
    `\`${name}\``,
    number(wall.ours),
    name === bareNode ? "1" : ratio(wall),
    number(processorMilliseconds),
    number(memoryMebibytes),
  ]),
)}`,
    plots: {
      "cli.svg": barChart({
        title: `svc whoami answers in ${whoami.wall.ratio.toFixed(1)} times what Node alone takes`,
        subtitle: "Milliseconds from starting the command to its end, one request over loopback; shorter is better",
        categories: rows.map(({ name }) => name),
        series: { milliseconds: rows.map(({ wall }) => wall.ours) },
        label: number,
      }),
    },
  };
}
