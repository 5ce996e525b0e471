import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "@jest/globals";
import { readDocument } from "../../test/support/documents.ts";
import { useService } from "../../test/support/service/suite.ts";
import { judge, pythonTool, testWith } from "../foreign-tools.ts";

/*
 * Schemathesis makes requests from /openapi.json, valid and invalid ones and chains of them by its links, and compares each response with
 * it. It makes the same ones in each run, but for ids and times that come from the service. So one of the explained findings may be
 * missing in a run.
 */

const schemathesis = pythonTool("schemathesis==4.32.5", "schemathesis");
const folder = mkdtempSync(join(tmpdir(), "svc-schemathesis-"));
afterAll(() => rmSync(folder, { recursive: true }));
const service = useService({});

/** Findings that are no fault, as `findingsOf` says them, and why. */
const explained: readonly (readonly [finding: RegExp, reason: string])[] = [
  [/ 431$/, "A URL of 16 KB reaches no route: API Gateway takes 10 KB."],
  [
    /^negative_\S+ POST \/oauth\/\S+ 200$/,
    "A form's parameter without a value counts as left out (RFC 6749, section 3.2).",
  ],
  [
    /^positive_\S+ POST \/oauth\/\S+ 400 (invalid_grant|invalid_request|invalid_scope|unsupported_grant_type)$/,
    "OAuth refuses with 400 what no schema says, such as an unknown code (RFC 6749, section 5.2).",
  ],
  [/ 400 invalid_cursor$/, "Only the service says which cursors there are."],
  [/ 412 (precondition_failed|current_release_changed)$/, "The request names a state that it expects."],
  [
    /^ensure_\S+ POST \/projects 404 (?!project_)\w+_not_found$/,
    "A project is made without a release or an invitation.",
  ],
  [/^use_after_free DELETE \/tokens\/\{id} 200$/, "A revoked token is still shown."],
  [/ 422 idempotency_key_reused$/, "The same key is sent with several requests."],
  [
    / is not (a project of yours|an issuer of|a file of this release)| are of no file of this release/,
    "It depends on what exists.",
  ],
  [
    / 422 validation_failed \/(files\/\*\/(br|deltas|encoding)|picture|expires_at|to) /,
    "It depends on another member of the body, or on the time.",
  ],
  [/ 400 invalid_parameters \/(from|to) must be a day /, "No pattern says which days a month has."],
  [/ 422 validation_failed \/redirect_uri must be an http URL/, "The schema has no greatest port."],
];

interface Check {
  readonly name: string;
  readonly failure_info?: { readonly failure: { readonly operation: string } };
}

interface Interaction {
  readonly response: null | { readonly status_code: number; readonly content: null | { readonly $base64?: string } };
}

interface Recorder {
  /** The request whose response a request has used, by a link. */
  readonly cases?: Readonly<Record<string, { readonly parent_id?: string }>>;
  readonly checks?: Readonly<Record<string, readonly Check[]>>;
  readonly interactions?: Readonly<Record<string, Interaction>>;
}

interface Problem {
  readonly code?: string;
  readonly error?: string;
  readonly errors?: readonly Record<"pointer" | "detail", string>[];
}

/** The findings of a run, its errors, and how many requests succeeded with what an earlier response had. */
function readReport(report: string) {
  const lines = readFileSync(report, "utf8").trim().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  const recorders: Recorder[] = events.flatMap(({ ScenarioFinished }) => ScenarioFinished?.recorder ?? []);
  return {
    findings: recorders.flatMap(findingsOf),
    errors: events.flatMap(({ NonFatalError, FatalError = NonFatalError }) => FatalError ?? []),
    chained: recorders.flatMap(({ cases = {}, interactions = {} }) =>
      Object.keys(cases).filter((id) => cases[id]?.parent_id && (interactions[id]?.response?.status_code ?? 500) < 300),
    ).length,
  };
}

/** The check, the request, the response's status, and what its body says is wrong. */
function findingsOf({ checks = {}, interactions = {} }: Recorder): string[] {
  return Object.entries(checks).flatMap(([id, all]) => {
    const { status_code: status, content } = interactions[id]?.response ?? {};
    const problems = problemsIn(Buffer.from(content?.$base64 ?? "", "base64").toString());
    return all.flatMap(({ name, failure_info: info }) =>
      info ? problems.map((problem) => `${name} ${info.failure.operation} ${status} ${problem}`.trim()) : [],
    );
  });
}

/** The code of a problem, for each place that is wrong; of several places of a list one. */
function problemsIn(body: string): string[] {
  if (!body.startsWith("{")) return [""];
  const { code, error = code ?? "", errors = [] } = JSON.parse(body) as Problem;
  const places = errors.map(({ pointer, detail }) => `${error} ${pointer.replaceAll(/\/\d+/g, "/*")} ${detail}`);
  return places.length > 0 ? places : [error];
}

/** A developer with a project and a token. */
async function developer(sub: string): Promise<{ idToken: string; token: string }> {
  const idToken = await service.idToken({ sub, email: `${sub}@example.test`, email_verified: true });
  const post = async (path: string, body: object) => {
    const response = await fetch(service.api + path, {
      method: "POST",
      headers: { authorization: `Bearer ${idToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { token: string };
  };
  await post("/auth/session", { role: "dev" });
  await post("/projects", { slug: `${sub}-game` });
  const { token } = await post("/tokens", { name: "judged", scopes: ["projects"] });
  return { idToken, token };
}

type Operation = { readonly operationId: string; readonly security?: readonly object[] };
const document = JSON.parse(readDocument("contract/documents/openapi.json"));
const operations = Object.values(document.paths).flatMap((path) => Object.values(path as Record<string, Operation>));

/** Whoever sends these takes from the requests after them what they need. */
const endsOthers = ["deleteMe", "revokeTokens", "revokeCurrentToken", "deleteProject", "restoreProject"];

/** Runs it on the routes that take one of the credentials or none. */
function run(
  name: string,
  credentials: Readonly<Record<string, string>>,
  isWanted: (operationId: string) => boolean,
  phases = "examples,coverage,fuzzing,stateful",
) {
  const config = join(folder, `${name}.toml`);
  const report = join(folder, `${name}.ndjson`);
  const bearers = Object.entries(credentials).map(
    ([scheme, value]) => `[auth.openapi.${scheme}]\nbearer = "${value}"\n`,
  );
  writeFileSync(config, bearers.join(""));
  const wanted = operations.filter(
    ({ operationId, security = document.security as readonly object[] }) =>
      isWanted(operationId) &&
      (security.length === 0 || security.some((each) => (Object.keys(each)[0] ?? "") in credentials)),
  );
  const { stdout, stderr } = judge(
    schemathesis,
    [
      ...["--no-color", "--config-file", config, "run", `${service.api}/openapi.json`, "--url", service.api],
      ...["--generation-deterministic", "--max-examples", "5", "--continue-on-failure"],
      ...["--phases", phases],
      ...["--report", "ndjson", "--report-ndjson-path", report],
      ...wanted.flatMap(({ operationId }) => ["--include-operation-id", operationId]),
    ],
    { cwd: folder },
  );
  return { output: stdout + stderr, tested: wanted.length, ...readReport(report) };
}

const isKept = (operationId: string) => !endsOthers.includes(operationId);

testWith(schemathesis)(
  "schemathesis finds nothing in the responses to a person, to a token and to who ends what there is",
  async () => {
    const [ada, ben, cai] = [await developer("ada"), await developer("ben"), await developer("cai")];
    const runs = [
      run("person", { idToken: ada.idToken }, isKept),
      // Invalid values are refused as to a person.
      run("token", { personalAccessToken: ben.token }, isKept, "examples,fuzzing,stateful"),
      run("ends", { idToken: cai.idToken, personalAccessToken: cai.token }, (id) => !isKept(id)),
    ];
    for (const { output, tested, errors } of runs) {
      expect(output).toMatch(new RegExp(`Tested: +${tested}\n`));
      expect(errors).toEqual([]);
    }
    for (const { chained } of runs.slice(0, 2)) expect(chained).toBeGreaterThan(0);
    const findings = [...new Set(runs.flatMap((each) => each.findings))].sort();
    const unexplained = findings.filter((finding) => !explained.some(([pattern]) => pattern.test(finding)));
    expect(unexplained).toEqual([]);
  },
  300_000,
);
