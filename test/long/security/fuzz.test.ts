import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { complaintAbout } from "../../support/service/contract-check.ts";
import { type Owner, operations, withProject } from "../../support/service/operations.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { everyItem } from "../../support/table/stored.ts";
import { storedManifests } from "../../support/table/stored-project.ts";
import { marked, requestsNear } from "./fuzzed-requests.ts";
import { type RawRequest, type RawResponse, sendRaw } from "./raw-request.ts";

/*
 * Whatever a caller with a valid credential sends: there is a response, never a 5xx, never a stack trace, and nothing
 * is stored of a refused request. fast-check prints the seed and the smallest request that breaks this.
 */
const served = Object.keys(routes) as RouteName[];
const requestsInAll = 10_000;
const atOnce = 4;
const runsPerRoute = Math.ceil(requestsInAll / served.length / atOnce);

let service: TestService;
const refusedMarks = new Set<string>();
const acceptedMarks = new Set<string>();
const slugs: string[] = [];
let sentCount = 0;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

/** The parameters of a request of the route's that succeeds. */
async function parametersOf(name: RouteName, owner: Owner): Promise<Record<string, string>> {
  const { path } = await operations[name](owner);
  const values = path.split("/").map(decodeURIComponent);
  const names = routes[name].path.split("/").map((segment) => /^[:*](\w+)$/.exec(segment)?.[1]);
  return Object.fromEntries(names.flatMap((parameter, index) => (parameter ? [[parameter, values[index] ?? ""]] : [])));
}

const trace = /\bat .+\.m?[jt]s:\d+|node_modules|file:\/\/|\/functions\/|zod|dynamodb|SyntaxError|TypeError/i;

async function sendAndCheck(request: RawRequest, credential: string): Promise<void> {
  sentCount += 1;
  // So long that no id has one by chance.
  const mark = `mk${String(sentCount).padStart(7, "0")}x`;
  const { headers = [], ...rest } = marked(request, mark);
  const authorization = ["authorization", `Bearer ${credential}`] as const;
  const response = await sendRaw(service.api, { ...rest, headers: [...headers, authorization] });
  (response.status < 400 ? acceptedMarks : refusedMarks).add(mark);
  expect({ ...response, complaint: complaintOf(request, response) }).toEqual({ ...response, complaint: undefined });
}

function complaintOf({ method, path }: RawRequest, { status, headers, text }: RawResponse): string | undefined {
  if (status >= 500) return "a 5xx";
  if (status >= 400 && trace.test(text)) return "a trace of the inside";
  if (!isDecodable(path)) return status === 400 ? undefined : "broken percent-encoding is not refused";
  const type = headers["content-type"] ?? "";
  const body = text === "" ? undefined : /[/+]json\b/.test(type) ? JSON.parse(text) : text;
  return complaintAbout(method, path, { status, headers: new Headers(headers as Record<string, string>), body });
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path.split("?")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

describe("any request to", () => {
  test.each(served)("%s gets a response as the contract says, and never with a 5xx", async (name) => {
    const owner = await withProject(await actorsOf(service).developer());
    slugs.push(owner.slug);
    const parameters = await parametersOf(name, owner);
    const token = await owner.token({ scopes: ["publish", "projects"] });
    const takesToken = ["any", "token"].includes(routes[name].credential);
    const credential = takesToken ? token.credential : owner.credential;
    const wave = fc.array(requestsNear(routes[name], parameters), { minLength: atOnce, maxLength: atOnce });
    await fc.assert(
      fc.asyncProperty(wave, async (requests) => {
        await Promise.all(requests.map((request) => sendAndCheck(request, credential)));
      }),
      { numRuns: runsPerRoute },
    );
  });
});

test("that were at least 10,000 requests, some of which were accepted and most refused", () => {
  expect(sentCount).toBeGreaterThanOrEqual(requestsInAll);
  expect(acceptedMarks.size).toBeGreaterThan(500);
  expect(refusedMarks.size).toBeGreaterThan(2_000);
});

test("no part of a refused request is stored", async () => {
  const manifests = await Promise.all(slugs.map((slug) => storedManifests(service, slug)));
  const stored = new Set(JSON.stringify([await everyItem(service), manifests]).match(/mk\d{7}x/g));
  expect([...stored].filter((mark) => refusedMarks.has(mark))).toEqual([]);
  // An accepted request is found, so this search can find something.
  expect([...stored].filter((mark) => acceptedMarks.has(mark)).length).toBeGreaterThan(5);
});
