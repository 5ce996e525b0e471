import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { findJobIdentity } from "../job-identity.ts";
import { JobToken } from "./job-token.ts";

/** The identity tokens of GitHub, and a token endpoint that gives tokens of 15 minutes, numbered, after it has refused with each of these errors. */
let given = 0;
let asked = 0;
/** What the runner's token service responds with, before it gives identity tokens. */
let runner: number[] = [];
let refusals: readonly (readonly [status: number, error: string, needs?: string])[] = [];
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    const status = request.method === "GET" ? runner.shift() : undefined;
    if (status !== undefined) return void response.writeHead(status).end("{}");
    if (request.method === "GET") return void response.end(JSON.stringify({ value: "a.b.c" }));
    const refusal = refusals[asked++];
    if (refusal) {
      const [status, error, needs] = refusal;
      return void response.writeHead(status).end(JSON.stringify({ error, error_description: "Why.", needs }));
    }
    given += 1;
    response.end(
      JSON.stringify({ access_token: `pat_${given}`, token_type: "Bearer", expires_in: 900, scope: "publish" }),
    );
  });
});

beforeEach(async () => {
  given = 0;
  asked = 0;
  refusals = [];
  runner = [];
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

function jobWith(tokens: Readonly<Record<string, string>>): JobToken {
  const identity = findJobIdentity(tokens);
  if (identity === undefined) throw new Error("There is no identity");
  return new JobToken(new URL(url()), { slug: "game", owner: undefined, scope: undefined }, identity);
}

function afterMinutes(minutes: number): void {
  const now = Date.now();
  jest.spyOn(Date, "now").mockReturnValue(now + minutes * 60_000);
}

test("requests of one time share one exchange", async () => {
  const job = jobWith({ SVC_ID_TOKEN: "a.b.c", SVC_ID_TOKEN_2: "d.e.f" });
  expect(await Promise.all([job.current(), job.current(), job.current()])).toEqual(["pat_1", "pat_1", "pat_1"]);
});

test("a token is renewed two minutes before it expires, with the next identity token", async () => {
  const job = jobWith({ SVC_ID_TOKEN: "a.b.c", SVC_ID_TOKEN_2: "d.e.f" });
  expect(await job.current()).toBe("pat_1");
  afterMinutes(12);
  expect(await job.current()).toBe("pat_1");
  afterMinutes(2);
  expect(await job.current()).toBe("pat_2");
});

test("without another identity token it is used until it expires; then the error says what to add", async () => {
  const job = jobWith({ SVC_ID_TOKEN: "a.b.c" });
  await job.current();
  afterMinutes(14);
  expect(await job.current()).toBe("pat_1");
  afterMinutes(2);
  await expect(job.current()).rejects.toMatchObject({
    code: "no_identity_token",
    next: expect.stringContaining("SVC_ID_TOKEN_2"),
  });
});

test("an identity token that another command has exchanged is left for the next one", async () => {
  const used = [400, "invalid_request", "identity_token"] as const;
  refusals = [used];
  expect(await jobWith({ SVC_ID_TOKEN: "a.b.c", SVC_ID_TOKEN_2: "d.e.f" }).current()).toBe("pat_1");
  refusals = [used, used, used, used];
  await expect(jobWith({ SVC_ID_TOKEN: "a.b.c", SVC_ID_TOKEN_2: "d.e.f" }).current()).rejects.toMatchObject({
    code: "no_identity_token",
    next: expect.stringContaining("one for each further command"),
  });
});

test("GitHub makes a new identity token each time, so one that is exchanged already is refused", async () => {
  refusals = [[400, "invalid_request", "identity_token"]];
  const job = jobWith({ ACTIONS_ID_TOKEN_REQUEST_URL: url(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x" });
  await expect(job.current()).rejects.toMatchObject({ code: "job_refused", message: "Why." });
  expect(asked).toBe(1);
  expect(await job.current()).toBe("pat_1");
});

test("a job waits while the keys of its issuer cannot be fetched", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0);
  refusals = [[503, "identity_provider_unavailable"]];
  expect(await jobWith({ SVC_ID_TOKEN: "a.b.c" }).current()).toBe("pat_1");
});

const inGitHub = () => jobWith({ ACTIONS_ID_TOKEN_REQUEST_URL: url(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x" });

test("one 503 of GitHub's token service is tried again", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0);
  runner = [503];
  expect(await inGitHub().current()).toBe("pat_1");
});

test.each([
  [503, 5, "Run the job again, or set SVC_TOKEN."],
  [401, 1, "Give the job the permission id-token: write, or set SVC_TOKEN."],
  [403, 1, "Give the job the permission id-token: write, or set SVC_TOKEN."],
])(
  "a token service that responds with %i is asked %i times, and only who lacks a permission reads of one",
  async (status, times, next) => {
    jest.spyOn(Math, "random").mockReturnValue(0);
    runner = Array(10).fill(status);
    const message = `The token service of the CI runner, ${new URL(url()).origin}, responded with ${status}.`;
    await expect(inGitHub().current()).rejects.toMatchObject({ code: "no_identity_token", message, next });
    expect(runner).toHaveLength(10 - times);
  },
);

test("the request token is sent to no token service without https", async () => {
  const plain = url().replace("127.0.0.1", "0.0.0.0");
  const job = jobWith({ ACTIONS_ID_TOKEN_REQUEST_URL: plain, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x" });
  await expect(job.current()).rejects.toMatchObject({
    code: "no_identity_token",
    message: "ACTIONS_ID_TOKEN_REQUEST_URL is no https URL.",
  });
});

test("an exchange that the API fails at is tried again, by GitHub with another identity token", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0);
  refusals = [[503, "temporarily_unavailable"]];
  expect(await inGitHub().current()).toBe("pat_1");
  expect(asked).toBe(2);
});

test("a refusal of the job is final", async () => {
  refusals = [[400, "invalid_request"]];
  await expect(jobWith({ SVC_ID_TOKEN: "a.b.c" }).current()).rejects.toMatchObject({
    code: "job_refused",
    message: "Why.",
  });
  expect(asked).toBe(1);
});

test("a refusal that another publisher would lift says what starts jobs that one may trust", async () => {
  refusals = [[400, "invalid_request", "publisher"]];
  await expect(jobWith({ SVC_ID_TOKEN: "a.b.c" }).current()).rejects.toMatchObject({
    next: "Let a workflow publish that a push, a release or a person starts.",
  });
});

test("a machine without a job's variables has no identity", () => {
  expect(findJobIdentity({ ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.example" })).toBeUndefined();
  expect(findJobIdentity({ SVC_ID_TOKEN: " " })).toBeUndefined();
});
