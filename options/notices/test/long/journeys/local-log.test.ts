import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { readConfiguration } from "../../../../../local/configuration.ts";
import { hasTerminal } from "../../../../../test/support/cli/terminal.ts";
import { actorsOf } from "../../../../../test/support/service/actors.ts";
import { startService } from "../../../../../test/support/service/service.ts";
import { serviceEnvironment } from "../../../../../test/support/service/service-process.ts";
import { duringTests } from "../../../../../test/support/service/suite.ts";
import { notices } from "../../../local.ts";
import { documentedNotice } from "../../support/documented-notice.ts";

const service = duringTests(() => startService({ env: { SVC_NOTICES_SECONDS: "0.2" } }));

interface LogLine {
  readonly message: string;
  readonly notice: { readonly type: string; readonly account: { readonly uid: string } };
}

function logged(uid: string): LogLine["notice"][] {
  const lines = service.output().split("\n");
  const notices = lines.filter((line) => line.includes('"message":"Notice"')).map((line): LogLine => JSON.parse(line));
  return notices.map(({ notice }) => notice).filter(({ account }) => account.uid === uid);
}

test("the local service logs each notice once", async () => {
  const ada = await actorsOf(service).developer();
  const token = await ada.token();
  for (const type of ["token_created", "token_revoked"]) {
    if (type === "token_revoked") await ada.delete(`/tokens/${token.id}`);
    while (!logged(ada.uid).some((notice) => notice.type === type)) await delay(50);
  }
  await delay(600);
  expect(logged(ada.uid).map(({ type }) => type)).toEqual(["token_created", "token_revoked"]);
  for (const notice of logged(ada.uid)) documentedNotice.parse(notice);
});

test("on a terminal a notice is one line that a person can read", async () => {
  expect(hasTerminal).toBe(true);
  const main = fileURLToPath(new URL("../../../../../programs/local.ts", import.meta.url));
  const command = `exec ${process.execPath} ${main}`;
  const env = serviceEnvironment({ env: { SVC_NOTICES_SECONDS: "0.2" } });
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
  });
  const seen = async (pattern: RegExp) => {
    for (let wait = 0; wait < 200 && !pattern.test(shown); wait += 1) await delay(100);
    return pattern.exec(shown) ?? [];
  };
  try {
    const [, api = "", idToken = ""] = await seen(/The API: +(\S+)\r\n.*An ID token: +(.+?)\r\n[\s\S]*Ctrl-C stops/);
    const post = (path: string, body: object) =>
      `curl -fsS ${api}${path} -H "Authorization: Bearer $ID_TOKEN" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
    const create = [post("/auth/session", { role: "dev" }), post("/tokens", { name: "CI", scopes: ["publish"] })];
    await promisify(execFile)("bash", ["-c", [idToken, ...create].join(" && ")]);
    await seen(/token created/);
    expect(shown).toMatch(/^\d\d:\d\d:\d\d {2}Notice to ada: token created \(token …\w{4}\)\r$/m);
    expect(shown).not.toContain('"message":"Notice"');
  } finally {
    child.stdin.write("\u0003");
    await once(child, "close");
  }
});

test.each(["-1", "soon", "86401"])("SVC_NOTICES_SECONDS cannot be %s", (value) => {
  const message = `SVC_NOTICES_SECONDS must be a number of seconds from 0 to 86400, not "${value}"`;
  expect(() => readConfiguration({ SVC_NOTICES_SECONDS: value }, [notices])).toThrow(message);
});
