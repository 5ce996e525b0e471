import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { assertNoTokens, cliEnvironment, cliProgram, publishResult } from "../../support/cli/cli.ts";
import { startPublishingApi } from "../../support/cli/publishing-api.ts";
import { onPseudoTerminal, plainText } from "../../support/cli/terminal.ts";
import { type MisbehavingServer, sendJson } from "../../support/network/misbehaving-server.ts";
import { startRelay } from "../../support/network/relay.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { startService } from "../../support/service/service.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { type StoreRequest, startRecordedStore } from "../../support/store/store-recorder.ts";

const shiftClock = fileURLToPath(new URL("../../support/shift-clock.mjs", import.meta.url));

const store = duringTests(startRecordedStore);
const service = duringTests(() => startService({ env: { S3_ENDPOINT: store.endpoint } }));
const user = usePublishingUser(service);
const { person, svc, publish, write } = user;

afterEach(() => store.plan(undefined));

/** An index.html and numbered files that contain their version. */
function writeVersion(version: string, files: number, folder = "game"): void {
  const numbered = Array.from({ length: files }, (_, index) => [`${index}.txt`, `${version} ${index}`]);
  write({ "index.html": version, ...Object.fromEntries(numbered) }, folder);
}

/** The same with pictures that are too large for a pack. */
function writeLarge(version: string, files: number): void {
  const numbered = Array.from({ length: files }, (_, index) => [
    `${index}.png`,
    `${version} ${index}`.padEnd(limits.packedFileBytes + 1),
  ]);
  write({ "index.html": version, ...Object.fromEntries(numbered) });
}

async function visit(path: string, project = user.slug): Promise<string | undefined> {
  const response = await fetch(`${service.api}/projects/${project}/files/${path}`);
  const text = await response.text();
  return response.status === 200 ? text : undefined;
}

/** Counts uploads that reached the store. */
async function countPuts(action: () => Promise<unknown>): Promise<number> {
  return (await store.during(action)).filter(({ kind }) => kind === "put").length;
}

test("hundreds of files are uploaded, although the store fails the first request for a tenth of them", async () => {
  writeVersion("one", 450);
  let puts = 0;
  const contents = new Set<string>();
  store.plan(({ kind, path }) => {
    if (kind !== "put" || !path.includes("/files/")) return undefined;
    puts += 1;
    // The second request for a content succeeds, however many others are on the way at the same time.
    if (contents.has(path) || contents.add(path).size % 10 !== 0) return undefined;
    return contents.size % 20 === 0 ? "break" : 503;
  });
  const { code, stdout, stderr } = await publish();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(publishResult({ stdout })).toMatchObject({ event: "published", sent: { files: 451 } });
  expect(puts).toBeGreaterThan(490);
  expect(await visit("449.txt")).toBe("one 449");
});

test("a project is created once if the responses to svc are lost", async () => {
  let losses = 0;
  const relay = await startRelay(service.api, (_, step) => {
    if (step === "request" || losses === 2) return undefined;
    losses += 1;
    return "cut";
  });
  const slug = newSlug();
  const created = await svc(["projects", "create", slug, "--api", relay.origin]);
  expect(created).toMatchObject({ code: 0, stdout: `Created project ${slug}.\n` });
  expect(losses).toBe(2);
  await relay.stop();
});

const twoHours = 7_200;

test.each([
  ["is two hours ahead", twoHours, "clock is 2 hours ahead."],
  ["is two hours behind", -twoHours, "clock is 2 hours behind."],
])(
  "if the clock %s, upload URLs are requested only for files beyond those that opening the release gave, once",
  async (...[, seconds, warning]) => {
    writeLarge("one", limits.firstUploadUrls);
    const requests: string[] = [];
    const relay = await startRelay(service.api, (path, step) => {
      if (step === "request") requests.push(path.replace(/^\/projects\/[^/]+|\/releases\/\w+(?=\/)/g, ""));
      return undefined;
    });
    const env = { NODE_OPTIONS: `--import=${shiftClock}`, CLOCK_SHIFT_SECONDS: String(seconds), SVC_API: relay.origin };
    const { code, stderr } = await svc(["publish", "game", "--project", user.slug, "--json"], { env });
    await relay.stop();
    expect(code).toBe(0);
    expect(requests).toEqual(["", "/releases", "/releases", "/uploads", "/publish"]);
    expect(stderr).toContain(warning);
    expect(await visit("index.html")).toBe("one");
  },
);

/** Starts a publish and lets a test stop it. */
function begin(
  folder: string,
  project: string,
  api = service.api,
): { child: ChildProcess; ended: Promise<{ code: number | null; printed: string }> } {
  const child = spawn(process.execPath, [cliProgram, "publish", folder, "--project", project], {
    cwd: person.home,
    env: cliEnvironment(person.home, { SVC_API: api, SVC_TOKEN: user.token.credential }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  const ended = once(child, "close").then(([code]) => {
    assertNoTokens(printed, [user.token.credential]);
    return { code: code as number | null, printed };
  });
  return { child, ended };
}

test.each([
  ["SIGINT", 130, "Interrupted"],
  ["SIGTERM", 143, "Terminated"],
] as const)(
  "%s leaves the live release untouched, and the same command continues where it stopped",
  async (signal, code, word) => {
    writeVersion("one", 1);
    await publish();
    writeLarge("two", 150);
    const puts: StoreRequest[] = [];
    store.plan(async (request) => {
      if (request.kind !== "put" || !request.path.includes("/files/")) return undefined;
      if (puts.push(request) < 100) return undefined;
      await sleep(60_000, undefined, { ref: false });
      return 503;
    });
    const { child, ended } = begin("game", user.slug);
    // The hundredth upload and those after it hang.
    while (puts.filter(({ hasResponse }) => hasResponse).length < 99) await sleep(10);
    child.kill(signal);
    const { code: ended_with, printed } = await ended;
    expect(ended_with).toBe(code);
    expect(printed).toContain(
      `error: ${word}. The live release is untouched.\n  interrupted\n  next: The same command continues where this one stopped.\n`,
    );
    expect(await visit("index.html")).toBe("one");
    store.plan(undefined);
    const rest = await countPuts(async () => expect((await publish()).code).toBe(0));
    expect(rest).toBe(151 - 99);
    expect((await visit("149.png"))?.trimEnd()).toBe("two 149");
  },
);

/** A way to a server that can be away for a while, as a network is. */
async function startCuttableWay(target: { readonly port: number }) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const outward = connect(target.port, "127.0.0.1");
    for (const each of [socket, outward]) sockets.add(each.on("error", () => {}));
    socket.pipe(outward).pipe(socket);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    cut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    mend: () => listen(port),
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test.each<["files are uploaded" | "upload URLs are requested" | "the release goes live"]>([
  ["files are uploaded"],
  ["upload URLs are requested"],
  ["the release goes live"],
])("a network that is lost while %s is waited for, with one line that says so", async (when) => {
  writeVersion("one", 3);
  let isCut = false;
  const cutOnce = (point: typeof when) => {
    if (isCut || point !== when) return;
    isCut = true;
    way.cut();
  };
  const api: MisbehavingServer = await startPublishingApi({
    uploadUrls: (_, response) => {
      cutOnce("upload URLs are requested");
      const sha256 = [1, 2, 3].map((number) =>
        createHash("sha256")
          .update(`one ${number - 1}`)
          .digest("hex"),
      );
      const all = [createHash("sha256").update("one").digest("hex"), ...sha256];
      const uploads = all.map((each) => ({ sha256: each, url: `${way.origin}/${each}`, headers: {} }));
      sendJson(response, 200, { uploads, expires_at: "2126-01-01T00:00:00Z" });
    },
    upload: (_, response) => {
      cutOnce("files are uploaded");
      response.end();
    },
    goLive: async () => cutOnce("the release goes live"),
  });
  const way = await startCuttableWay(api);
  const publishing = begin("game", user.slug, way.origin);
  publishing.child.stderr?.on("data", (chunk: string) => {
    if (chunk.includes("Waiting for the network")) void way.mend();
  });
  const { code, printed } = await publishing.ended;
  way.stop();
  await api.stop();
  expect(code).toBe(0);
  expect(
    printed.match(
      / Waiting for the network \(for ten minutes at most\); what is uploaded stays, and the same command continues\./g,
    ),
  ).toHaveLength(1);
});

test.each<[string, () => string[], (first: string) => readonly string[], isLive: boolean]>([
  ["nothing happened", () => [], () => [], true],
  ["was rolled back", () => [], (first) => ["live", first], false],
  ["was replaced, and may replace any", () => ["--expect-current", "any"], () => ["publish", "other"], false],
])("a release that went live, of which svc did not hear, and then %s: it does not come back", async (...row) => {
  const [, flags, meanwhile, isLive] = row;
  writeVersion("one", 1);
  const { release: first } = publishResult(await publish());
  writeVersion("two", 1);
  writeVersion("other", 1, "other");
  let done = "";
  const relay = await startRelay(service.api, async (path, step) => {
    if (done !== "" || step === "request" || !path.endsWith("/publish")) return undefined;
    done = path;
    const args = meanwhile(first);
    if (args.length > 0) expect((await svc([...args, "--project", user.slug])).code).toBe(0);
    return "cut";
  });
  const live = async () => (await user.developer.get(`/projects/${user.slug}`)).body.current_release?.id;
  const { code, stderr } = await svc(["publish", "game", "--project", user.slug, ...flags(), "--api", relay.origin]);
  await relay.stop();
  expect({ code, isLive: done.includes(await live()) }).toEqual({ code: isLive ? 0 : 6, isLive });
  if (!isLive)
    expect(stderr).toContain("went live, the response was lost, and something else has taken its place since.");
});

test("a person at a terminal is told that Ctrl-C stops the wait for the network", async () => {
  writeVersion("one", 1);
  let isMended = false;
  const goLive = async () => {
    if (!isMended) way.cut();
  };
  const api = await startPublishingApi({ goLive });
  const way = await startCuttableWay(api);
  const { shown } = await onPseudoTerminal(person, `publish game --project ${user.slug}`, {
    env: { SVC_API: way.origin, SVC_TOKEN: user.token.credential },
    onShown: (all) => {
      if (isMended || !all.includes("Waiting for")) return;
      isMended = true;
      void way.mend();
    },
  });
  way.stop();
  await api.stop();
  expect(plainText(shown).replace(/\s+/g, " ")).toContain("Waiting for the network (Ctrl-C stops)");
});

test("Ctrl-C while the release goes live changes nothing, and says so", async () => {
  writeVersion("one", 1);
  const announced = Promise.withResolvers<void>();
  const goLive = () => {
    publishing.child.kill("SIGINT");
    return announced.promise;
  };
  const api = await startPublishingApi({ goLive });
  const publishing = begin("game", user.slug, api.origin);
  publishing.child.stderr?.on(
    "data",
    (chunk: string) => chunk.includes("is going live already") && announced.resolve(),
  );
  expect((await publishing.ended).code).toBe(0);
  await api.stop();
});

test("svc is killed at each step, 32 times: visitors see one whole release, and the next run completes", async () => {
  const lanes = 4;
  const kills = 8;
  const files = 6;
  /** Action when a project's next step begins: a request to the API comes or gets its response, or a file comes to the store. */
  const onStep = new Map<string, () => void>();
  const step = (path: string) => {
    onStep.get(/\/projects\/([^/]+)\//.exec(path)?.[1] ?? "")?.();
    return undefined;
  };
  store.plan(({ kind, path }) => void (kind === "put" && step(path)));
  const relay = await startRelay(service.api, step);
  let killed = 0;
  let wholeViews = 0;

  const killInLane = async (project: string, lane: number) => {
    const folder = `lane${lane}`;
    let steps = 0;
    onStep.set(project, () => {
      steps += 1;
    });
    writeVersion("0", files, folder);
    expect((await begin(folder, project, relay.origin).ended).code).toBe(0);
    for (let kill = 0; kill < kills; kill += 1) {
      writeVersion(`${kill + 1}`, files, folder);
      const { child, ended } = begin(folder, project, relay.origin);
      let left = (2 * kill + (lane % 2)) % steps;
      // Two of the four lanes kill at the step itself, two some time after it.
      const end = () => void (lane < 2 ? child.kill("SIGKILL") : setTimeout(() => child.kill("SIGKILL"), random(20)));
      onStep.set(project, () => {
        if (left === 0) end();
        left -= 1;
      });
      let isOver = false;
      const watching = (async () => {
        for (; !isOver; await sleep(50)) wholeViews += await viewOnce(project, files);
      })();
      if ((await ended).code === null) killed += 1;
      isOver = true;
      await watching;
    }
    onStep.delete(project);
    writeVersion("last", files, folder);
    expect((await begin(folder, project).ended).code).toBe(0);
    expect(await visit("0.txt", project)).toBe("last 0");
  };
  try {
    const projects = await Promise.all(Array.from({ length: lanes }, () => newProject(user.developer)));
    await Promise.all(projects.map(killInLane));
  } finally {
    await relay.stop();
  }
  expect(killed).toBeGreaterThanOrEqual(2 * kills);
  expect(wholeViews).toBeGreaterThan(kills);
}, 240_000);

const random = (below: number) => Math.random() * below;

/**
 * Looks at the page and two other files. They must be of one version, unless the release changed while they were looked
 * at, which looking at the page again shows.
 *
 * @returns 1 for a view of one version, 0 if it changed in between
 */
async function viewOnce(project: string, files: number): Promise<number> {
  const before = await visit("index.html", project);
  const others = await Promise.all([visit("0.txt", project), visit(`${files - 1}.txt`, project)]);
  if ((await visit("index.html", project)) !== before) return 0;
  expect(others).toEqual([`${before} 0`, `${before} ${files - 1}`]);
  return 1;
}

/** Runs `svc publish` so that the system lets it open so many files. */
async function publishWithFiles(count: number, api: string) {
  const words = [process.execPath, cliProgram, "publish", "game", "--project", "game", "--json"];
  const child = spawn("sh", ["-c", `ulimit -n ${count}; exec "$@"`, "sh", ...words], {
    cwd: person.home,
    env: cliEnvironment(person.home, { SVC_API: api, SVC_TOKEN: user.token.credential }),
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const [code] = await once(child, "close");
  return { code, error: publishResult({ stdout }).error };
}

test("a system that lets svc open few files gets all of them, each once, with fewer at a time", async () => {
  const files = Object.fromEntries(Array.from({ length: 63 }, (_, index) => [`${index}.png`, randomBytes(200_000)]));
  write({ "index.html": "<h1>Game</h1>", ...files });
  // Longer than all retries of one file take together.
  const server = await startPublishingApi({ upload: (_, response) => void setTimeout(() => response.end(), 3_000) });
  try {
    expect(await publishWithFiles(48, server.origin)).toEqual({ code: 0, error: undefined });
    const sent = server.requests.flatMap(({ method, url }) => (method === "PUT" ? [url] : []));
    expect({ sent: sent.length, distinct: new Set(sent).size }).toEqual({ sent: 64, distinct: 64 });
  } finally {
    await server.stop();
  }
}, 180_000);
