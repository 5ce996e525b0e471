import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare, inTurn, type Series } from "../harness/comparison.ts";
import { type Command, measureProcess, type ProcessMeasures } from "../harness/processes.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { type BenchService, withService } from "../parts/service.ts";

const figures = {
  version: "`svc --version` beside bare Node",
  whoami: "`svc whoami` beside bare Node",
  npm: "`svc whoami` beside `npm whoami`",
  memory: "`svc whoami`, peak memory",
};

/** The start of the packed and installed command line, compared with bare Node and npm. */
export const area: Area = {
  name: "cli",
  title: "The command line",
  method: `Packed, installed into a prefix of its own and run as a user does, every command a process of its own. \`svc whoami\` asks the
real local service; \`npm whoami\`, of the npm on this machine's PATH, asks a server on loopback that responds at once.`,
  decides: [figures.whoami],
  targets: {
    [figures.version]: { atMost: 1.6 },
    [figures.whoami]: { atMost: 2.7 },
    [figures.npm]: { atMost: 0.5 },
    [figures.memory]: { atMost: 65 },
  },
  measure,
};

const names = { bare: "node -e 0", version: "svc --version", whoami: "svc whoami", npm: "npm whoami" };

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const registry = createServer((_, response) => response.end('{"username":"ada"}')).listen(0, "127.0.0.1");
  await once(registry, "listening");
  try {
    return await withService(async (service) => {
      const commands = await commandsOf(service, home, (registry.address() as AddressInfo).port);
      const contenders = Object.fromEntries(
        Object.entries(commands).map(([name, command]) => [name, () => measureProcess(command)]),
      );
      return resultOf(await inTurn(contenders, isQuick ? { rounds: 1, warmUps: 1 } : { rounds: 21, warmUps: 2 }));
    });
  } finally {
    registry.close();
    await rm(home, { recursive: true });
  }
}

async function commandsOf(service: BenchService, home: string, registryPort: number): Promise<Record<string, Command>> {
  const svc = await installSvc();
  const { credential } = await service.actors.token("publish", "projects");
  const env = { HOME: home, SVC_API: service.api, SVC_TOKEN: credential };
  const registry = `//127.0.0.1:${registryPort}/`;
  const npm = ["npm", "whoami", "--registry", `http:${registry}`, `--${registry}:_authToken=x`, "--no-update-notifier"];
  return {
    [names.bare]: { words: [process.execPath, "-e", "0"], env: { HOME: home } },
    [names.version]: { words: [svc, "--version"], env },
    [names.whoami]: { words: [svc, "whoami"], env },
    [names.npm]: { words: npm, env: { HOME: home } },
  };
}

function resultOf(series: Readonly<Record<string, Series<ProcessMeasures>>>): Measurement {
  const of = (name: string, measure: keyof ProcessMeasures, other = names.bare): Comparison =>
    compare(series[name]?.[measure] ?? [], series[other]?.[measure] ?? []);
  return {
    figures: {
      [figures.version]: ratioFigure(of(names.version, "wallMilliseconds")),
      [figures.whoami]: ratioFigure(of(names.whoami, "wallMilliseconds")),
      [figures.npm]: ratioFigure(of(names.whoami, "wallMilliseconds", names.npm)),
      [figures.memory]: { value: of(names.whoami, "memoryMebibytes").ours, unit: "MiB" },
    },
    table: {
      head: ["command", "ms", "× bare Node", "processor, ms", "peak memory, MiB"],
      rows: Object.keys(series).map((name) => [
        `\`${name}\``,
        number(of(name, "wallMilliseconds").ours),
        ratioText(of(name, "wallMilliseconds")),
        number(of(name, "processorMilliseconds").ours),
        number(of(name, "memoryMebibytes").ours),
      ]),
    },
  };
}
