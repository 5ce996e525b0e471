import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "@jest/globals";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { EdgeLocation, type EdgeResult } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import { storeOfCopy } from "../../../local/edge/pointer-stores.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { handOver, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";

/*
 * A project changes in every way while a thousand visits go on through five edge locations, each of which sees the store's
 * changes after a time of its own.
 */

const service = useEdgeService();
const ada = useOwner(service);
const domain = "games.example.net";
const delays = [0, 100, 400, 1_000, 2_500];
/** Time for which the edge keeps a response from another release than the key's. */
const keptMilliseconds = 5_000;
/** Time between the store's write and the test's knowing it, and for a request that is under way. */
const tolerance = 300;

interface Observation {
  readonly location: number;
  readonly at: number;
  readonly status: number;
  /** The release that the bytes are of. */
  readonly label: string | undefined;
}

let locations: EdgeLocation[];
let seen: Observation[];
const mixed: { readonly at: number; readonly label: string | undefined; readonly text: string }[] = [];

beforeAll(async () => {
  const distribution = await distributionOf({ gamesDomain: domain, reportUrl: undefined });
  locations = delays.map((each) => new EdgeLocation(distribution, storeOfCopy(service.games.store.edge(each))));
});

const filesOf = (label: string) => ({
  "index.html": `page ${label}`,
  "a.js": `a ${label}`,
  "b.js": `b ${label}`,
  [`only-${label}.js`]: `only ${label}`,
});

async function get(location: number, path: string, cookie: string): Promise<EdgeResult & { text: string }> {
  const at = Date.now();
  const destination = path === "/" ? "document" : "script";
  const headers = { host: `${ada.slug}.${domain}`, "sec-fetch-dest": destination, cookie };
  const result = await (locations[location] as EdgeLocation).respond({ method: "GET", target: path, headers });
  const text = String(result.body);
  const label = result.status === 200 ? text.split(" ")[1] : undefined;
  seen.push({ location, at, status: result.status, label });
  return { ...result, text };
}

/** Opens the page, loads the rest of the game in the course of some seconds, and opens it again. */
async function visit(number: number): Promise<void> {
  const location = number % delays.length;
  const cookies = new Map<string, string>();
  let before: string | undefined;
  for (const _ of ["begins", "again"]) {
    const page = await get(location, "/", headerOf(cookies));
    if (page.status !== 200) return;
    for (const text of [page.headers["set-cookie"] ?? []].flat()) {
      const [name = "", value = ""] = (text.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const label = page.text.split(" ")[1];
    for (const path of ["/a.js", "/b.js", `/only-${label}.js`]) {
      const file = await get(location, path, headerOf(cookies));
      if (file.status === 200 && file.text.split(" ")[1] !== label)
        mixed.push({ at: Date.now(), label, text: file.text });
      await delay((number * 37) % 900);
    }
    // Files of the release before alone are still there for this visit.
    if (before !== undefined) await get(location, `/only-${before}.js`, headerOf(cookies));
    before = label;
  }
}

function headerOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** When an edge location may have sent something for the last time, after a change that the store has had since `since`. */
function lateness(since: number, isForbidden: (each: Observation) => boolean): number {
  const late = seen.filter(isForbidden).map(({ at, location }) => at - since - (delays[location] ?? 0));
  return Math.max(0, ...late);
}

test("no visit mixes releases, and what was withdrawn, unpublished or taken down goes in time", async () => {
  const path = `/projects/${ada.slug}`;
  seen = [];
  const first = await publish(ada, ada.slug, filesOf("1"));
  await delay(Math.max(...delays) + 100);
  const visits: Promise<void>[] = [];
  const begin = async (count: number, milliseconds: number) => {
    for (let number = 0; number < count; number += 1) {
      visits.push(visit(visits.length));
      await delay(milliseconds / count);
    }
  };
  const during = async (change: () => Promise<unknown>) => {
    const beginning = begin(125, 1_500);
    await delay(500);
    await change();
    const at = Date.now();
    await beginning;
    return at;
  };
  const made = async (response: Promise<{ status: number }>) => expect((await response).status).toBeLessThan(300);

  let second = "";
  await during(async () => {
    second = await publish(ada, ada.slug, filesOf("2"));
  });
  await during(() => made(ada.post(`${path}/releases/${first}/publish`, {})));
  await during(() => publish(ada, ada.slug, filesOf("3")));
  const grace = await ada.otherDeveloper();
  const transferred = await during(async () => {
    await made(handOver(ada, ada.slug, grace));
  });
  const withdrawn = await during(() => made(grace.post(`${path}/releases/${second}/withdraw`)));
  await during(() => publish(grace, ada.slug, filesOf("4")));
  const unpublished = await during(() => made(grace.post(`${path}/unpublish`)));
  await delay(Math.max(...delays) + tolerance);
  const again = Date.now();
  await during(() => publish(grace, ada.slug, filesOf("5")));
  const takenDown = await during(() => operate(["takedown", ada.slug, "--reason", "malware"], new Date()));
  await Promise.all(visits);
  await writePointers(AbortSignal.timeout(10_000));

  const isGame = ({ status }: Observation) => status < 400;
  const measured = {
    visits: visits.length,
    withdrawn: lateness(withdrawn, ({ at, label }) => label === "2" && at > withdrawn),
    unpublished: lateness(unpublished, (each) => isGame(each) && each.at > unpublished && each.at < again),
    takenDown: lateness(takenDown, (each) => isGame(each) && each.at > takenDown),
  };
  expect(measured.visits).toBe(1_125);
  expect(new Set(seen.map(({ label }) => label))).toEqual(new Set(["1", "2", "3", "4", "5", undefined]));
  expect(seen.filter(({ status }) => ![200, 404, 410].includes(status))).toEqual([]);
  // The visits of a withdrawn release go on with the live one; those of an unpublished project are over.
  const isEnded = ({ at, label }: (typeof mixed)[number]) =>
    (label === "2" && at > withdrawn) || (label !== "5" && at > unpublished);
  expect(mixed.filter((each) => !isEnded(each))).toEqual([]);
  expect(transferred).toBeLessThan(withdrawn);
  expect(measured.withdrawn).toBeLessThan(keptMilliseconds + tolerance);
  expect(measured.unpublished).toBeLessThan(tolerance);
  expect(measured.takenDown).toBeLessThan(tolerance);
});
