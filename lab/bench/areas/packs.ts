import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { launchBehindProxy } from "../../../test/browser/chromium.ts";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import { findProgram } from "../harness/processes.ts";
import { startBrowserProxy } from "../parts/browser-proxy.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { pagePublisher } from "../parts/page-publisher.ts";
import { apiDollars, storeDollars } from "../parts/price-list.ts";
import { type Publisher, svcPublisher, syncPublisher } from "../parts/publishers.ts";
import { withService } from "../parts/service.ts";
import { SlowLine, startFarServer } from "../parts/slow-line.ts";
import { startStoreProcess, storeEnvironment } from "../parts/store-process.ts";

const lines = [6, 50] as const;
type Line = (typeof lines)[number];

const figures = {
  line: (line: Line) =>
    `\`svc publish\` of 2,000 small files at ${line} Mbit/s beside what the line needs for its bytes`,
  page: (line: Line) =>
    `The dashboard's page with 2,000 small files at ${line} Mbit/s beside what the line needs for its bytes`,
  sync: (line: Line) => `\`svc publish\` of 2,000 small files beside \`aws s3 sync\` at ${line} Mbit/s, time`,
  requests: "Requests of `svc publish` for 2,000 small files",
  large: "`svc publish` of three files of 4 MiB at 50 Mbit/s beside a service that takes no packs, time",
  cost: "Requests of 1,000 publications of 2,000 small files",
  costBefore: "the same with a service that takes no packs",
};

const compressedBefore =
  "the program takes 1.9 s of a processor to start, read, hash, compress and pack 2,000 files, and the functions that unpack them and the store, which writes 3,500 objects, share the two processors with it";
const compressedInThePage =
  "as for `svc publish`; a browser makes a pipe between two processes for each file that is read, and all its processes take 4.5 s";

/** Publishing many small files over a line to a service far away. */
export const area: Area = {
  name: "packs",
  title: "Publishing small files to a service far away",
  method: `\`svc publish\`, packed and installed, of 2,000 new files of 7.4 MiB: three quarters are scripts of 4 kB, the others pictures of 2.5 kB. API and
store are behind a proxy with 40 ms for a connection and for each request; all bodies share 6 or 50 Mbit/s. The functions are near the store, as
they are in a stage. The page is the dashboard in Chromium, from the choice of the folder until it is live; its own files do not come over
the line, its preflights do. \`aws s3 sync\` sends the same folder through such a proxy. The time that the line needs is of the bytes that svc sent. Before packs
is a proxy that does not know their route. Prices are of all requests to API and store, those of the functions too, without the functions' time.`,
  decides: [figures.line(6), figures.sync(50)],
  targets: {
    ...Object.fromEntries(
      lines.flatMap((line) => [
        [figures.line(line), { atMost: 1.25, reasonNotMet: compressedBefore }],
        [figures.page(line), { atMost: 1.25, reasonNotMet: compressedInThePage }],
      ]),
    ),
    [figures.sync(6)]: { atMost: 0.2, reasonNotMet: "the line alone needs 0.39 of the time of `aws s3 sync`" },
    [figures.sync(50)]: { atMost: 0.2, reasonNotMet: compressedBefore },
    [figures.requests]: { atMost: 20 },
    [figures.large]: { atMost: 1.1 },
  },
  measure,
};

interface Row {
  readonly line: Line;
  readonly wall: Comparison;
  /** Of svc, beside what the line needs. */
  readonly load: Comparison;
  /** Of the page, beside what the line needs for its bytes. */
  readonly page: Comparison;
  readonly requests: Readonly<Record<Tool, number>>;
  readonly bytes: Readonly<Record<Tool, number>>;
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const aws = await findProgram("/usr/bin/aws", "aws");
  if (aws === undefined) throw new Error("This area compares with `aws s3 sync`: install the AWS command line first");
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  try {
    const folder = await makeGame(home, isQuick ? 100 : 2_000);
    const [svc, rounds] = [await installSvc(), isQuick ? 1 : 3];
    const rows: Row[] = [];
    for (const line of lines) rows.push(await measureLine(line, { home, folder, svc, aws, rounds }));
    const large = await measureLarge({ home, svc, rounds, megabytes: isQuick ? 0.1 : 4 });
    const [cost, costBefore] = [
      await dollarsOf({ home, folder, svc }),
      await dollarsOf({ home, folder, svc, unknown }),
    ];
    return resultOf(rows, { large, cost, costBefore });
  } finally {
    await rm(home, { recursive: true });
  }
}

/** The route that takes packs: a service of before has none. */
const unknown = /\/packs$/;

/** Three large files, with packs and without, in turn. */
async function measureLarge({
  home,
  svc,
  rounds,
  megabytes,
}: {
  home: string;
  svc: string;
  rounds: number;
  megabytes: number;
}): Promise<Comparison> {
  const folder = join(home, "large");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.html"), "<h1>Large</h1>");
  for (const name of ["engine", "world", "sound"])
    await writeFile(join(folder, `${name}.mp4`), randomBytes(megabytes * 1024 ** 2));
  const line = new SlowLine({ megabitsPerSecond: 50, roundTripMilliseconds: 40 });
  const store = await startStoreProcess();
  const farStore = await startFarServer(line, { target: store.endpoint, hasOwnHost: true });
  const walls: [number[], number[]] = [[], []];
  await withService(
    async (service) => {
      const far = { target: service.api, hasOwnHost: true, origins: { [store.endpoint]: farStore.endpoint } };
      const apis = [await startFarServer(line, far), await startFarServer(line, { ...far, unknown })];
      for (let round = 0; round < rounds; round += 1)
        for (const [index, api] of apis.entries()) {
          const publisher = svcPublisher({ home, folder, svc }, service, api.endpoint);
          await publisher.prepare();
          walls[index]?.push((await publisher.run()).wallMilliseconds);
        }
      for (const api of apis) await api.stop();
    },
    { env: storeEnvironment(store.endpoint) },
  );
  for (const part of [farStore, store]) await part.stop();
  return compare(...walls);
}

/** The price of the requests of 1,000 publications of a folder. */
async function dollarsOf(given: { home: string; folder: string; svc: string; unknown?: RegExp }): Promise<number> {
  const endless = { megabitsPerSecond: 1_000_000, roundTripMilliseconds: 0 };
  const [toStore, toApi] = [new SlowLine(endless), new SlowLine(endless)];
  const store = await startStoreProcess();
  // The functions' own requests too.
  const counted = await startFarServer(toStore, { target: store.endpoint, hasOwnHost: false });
  await withService(
    async (service) => {
      const target = { target: service.api, hasOwnHost: true, unknown: given.unknown };
      const api = await startFarServer(toApi, target);
      const publisher = svcPublisher(given, service, api.endpoint);
      await publisher.prepare();
      toStore.reset();
      await publisher.run();
      await api.stop();
    },
    { env: storeEnvironment(counted.endpoint) },
  );
  for (const part of [counted, store]) await part.stop();
  return 1_000 * (storeDollars(toStore.log) + apiDollars(toApi.log));
}

/** Last changed an hour ago: svc hashes what is younger again. */
async function makeGame(home: string, files: number): Promise<string> {
  const folder = join(home, "game");
  const longAgo = new Date(Date.now() - 3_600_000);
  const words = Array.from({ length: 2_000 }, () => randomBytes(4).toString("hex"));
  const word = () => words[Math.floor(Math.random() ** 2 * words.length)];
  const script = () =>
    Array.from({ length: 75 }, () => `export const ${word()} = createSprite("${word()}", ${word()});`).join("\n");
  for (let index = 0; index < files; index += 1) {
    const isScript = index % 4 > 0;
    const path = join(folder, index === 0 ? "index.html" : `${index % 50}/${index}.${isScript ? "js" : "png"}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, index === 0 ? "<h1>Game</h1>" : isScript ? script() : randomBytes(2_500));
    await utimes(path, longAgo, longAgo);
  }
  return folder;
}

const tools = ["svc", "page", "aws"] as const;
type Tool = (typeof tools)[number];

async function measureLine(
  megabitsPerSecond: Line,
  given: { home: string; folder: string; svc: string; aws: string; rounds: number },
): Promise<Row> {
  const [store, syncStore] = [await startStoreProcess(), await startStoreProcess({ overwrites: true })];
  const line = new SlowLine({ megabitsPerSecond, roundTripMilliseconds: 40 });
  const farStore = await startFarServer(line, { target: store.endpoint, hasOwnHost: true });
  const farSync = await startFarServer(line, { target: syncStore.endpoint, hasOwnHost: false });
  const walls: Record<Tool, number[]> = { svc: [], page: [], aws: [] };
  const needs: Record<Tool, number[]> = { svc: [], page: [], aws: [] };
  const requests = { svc: 0, page: 0, aws: 0 };
  const bytes = { svc: 0, page: 0, aws: 0 };
  await withService(
    async (service) => {
      const origins = { [store.endpoint]: farStore.endpoint };
      const farApi = await startFarServer(line, { target: service.api, hasOwnHost: true, origins });
      // A browser gets the store's own URLs: its policy permits no other.
      const pageApi = await startFarServer(line, { target: service.api, hasOwnHost: true });
      const proxy = await startBrowserProxy({ [service.api]: pageApi.endpoint, [store.endpoint]: farStore.endpoint });
      store.allow(service.dashboard);
      const browser = await launchBehindProxy(proxy.endpoint, "<-loopback>");
      const publishers: Record<Tool, Pick<Publisher, "prepare"> & { run(): Promise<{ wallMilliseconds: number }> }> = {
        svc: svcPublisher(given, service, farApi.endpoint),
        page: pagePublisher({ ...given, browser }, service),
        aws: syncPublisher(given, farSync.endpoint),
      };
      for (let round = 0; round < given.rounds; round += 1)
        for (const tool of tools) {
          // What was compressed is not remembered, as in a job of a CI.
          await rm(join(given.home, ".cache"), { recursive: true, force: true });
          await publishers[tool].prepare();
          line.reset();
          const { wallMilliseconds } = await publishers[tool].run();
          walls[tool].push(wallMilliseconds);
          needs[tool].push(line.millisecondsFor(line.bytes));
          [requests[tool], bytes[tool]] = [line.requests, line.bytes];
          console.log(
            `${megabitsPerSecond} Mbit/s, ${tool}: ${wallMilliseconds} ms, ${line.requests} requests, ${line.bytes} bytes`,
          );
        }
      await browser.close();
      for (const part of [proxy, pageApi, farApi]) await part.stop();
    },
    { env: storeEnvironment(store.endpoint) },
  );
  for (const part of [farStore, farSync, store, syncStore]) await part.stop();
  return {
    line: megabitsPerSecond,
    wall: compare(walls.svc, walls.aws),
    load: compare(walls.svc, needs.svc),
    page: compare(walls.page, needs.page),
    requests,
    bytes,
  };
}

interface Others {
  readonly large: Comparison;
  readonly cost: number;
  readonly costBefore: number;
}

function resultOf(rows: readonly Row[], { large, cost, costBefore }: Others): Measurement {
  return {
    figures: {
      [figures.large]: ratioFigure(large),
      [figures.cost]: { value: cost, unit: "$" },
      [figures.costBefore]: { value: costBefore, unit: "$" },
      ...Object.fromEntries(rows.map(({ line, load }) => [figures.line(line), ratioFigure(load)])),
      ...Object.fromEntries(rows.map(({ line, wall }) => [figures.sync(line), ratioFigure(wall)])),
      ...Object.fromEntries(rows.map(({ line, page }) => [figures.page(line), ratioFigure(page)])),
      [figures.requests]: { value: Math.max(...rows.map(({ requests }) => requests.svc)), unit: "" },
    },
    table: {
      head: [
        ...["Mbit/s", "svc, s", "the line, s", "the page, s", "aws, s", "svc ÷ aws"],
        ...["svc requests", "the page", "aws", "svc bytes", "the page", "aws"],
      ],
      rows: rows.map(({ line, wall, load, page, requests, bytes }) => [
        number(line),
        ...[wall.ours, load.theirs, page.ours, wall.theirs].map((milliseconds) => number(milliseconds / 1_000)),
        ratioText(wall),
        ...tools.map((tool) => number(requests[tool])),
        ...tools.map((tool) => number(bytes[tool])),
      ]),
    },
  };
}
