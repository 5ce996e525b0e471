import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";
import { releasesHeader, uriOf } from "../../edge/cache/cache-key.ts";
import { Origin } from "../../local/edge/origin.ts";
import { freePort } from "../../local/table/dynamodb-engine.ts";
import { gamesDomain, TestLocation, useEdge } from "../../test/support/edge/suite.ts";
import { storeOf } from "../../test/support/edge/viewer-runtime.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { type GameResponse, sendTo } from "../../test/support/service/play.ts";
import { sha256 } from "../../test/support/service/steps.ts";
import { duringTests } from "../../test/support/service/suite.ts";
import { type Tool, testWith } from "../foreign-tools.ts";

/*
 * nginx instead of the model of CloudFront's cache, before the functions of the origin: what conditions and ranges of kept files
 * mean is another program's word then. Of what is not kept it asks the origin for the whole, without conditions. Left out are ranges that
 * end before they begin: nginx refuses them, and RFC 9110 ignores them (section 14.1.1).
 */

const program = "/usr/sbin/nginx";
const nginx: Tool = existsSync(program)
  ? { program }
  : { missing: "nginx is not installed, so it judges no condition and no range (Debian: nginx-light)" };

const edge = useEdge();

/** The functions of the origin and the bucket, as a server. */
const origin = duringTests(() => {
  const functions = new Origin(edge.distribution);
  return startHttpServer(async ({ method = "GET", url = "", headers }, response) => {
    const asked = { [releasesHeader]: String(headers[releasesHeader]) };
    const { status, headers: sent, body } = await functions.fetch(method, url, asked);
    response.writeHead(status, sent).end(body);
  });
});

const cache = duringTests(async () => {
  if (nginx.program === undefined) return { endpoint: "", stop: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "svc-nginx-"));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
  proxy_cache_path ${folder}/cache keys_zone=games:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${origin.endpoint};
      proxy_cache games;
      proxy_cache_key $request_uri$http_x_key;
      proxy_http_version 1.1;
      add_header x-cache $upstream_cache_status always;
    }
  }
}
`,
  );
  const running: ChildProcess = spawn(nginx.program, ["-e", `${folder}/errors`, "-c", join(folder, "nginx.conf")], {
    stdio: "ignore",
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await fetch(`${endpoint}/none`).catch(() => undefined)) break;
    await delay(50);
  }
  const stop = async () => {
    const exited = once(running, "exit");
    running.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { endpoint, stop };
});

const etag = sha256(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
const ranges = [
  undefined,
  "bytes=0-9",
  "bytes=0-0",
  "bytes=250-",
  "bytes=-6",
  "bytes=-999",
  "bytes=250-999",
  "bytes=256-",
  "items=0-1",
];
const ifRanges = [undefined, `"${etag}"`, `W/"${etag}"`, '"x"', "Sun, 22 Nov 2026 00:00:00 GMT"];
const ifNoneMatches = [undefined, `"${etag}"`, `W/"${etag}"`, `"x", "${etag}"`, '"x"', "*"];

const combinations = ranges.flatMap((range) =>
  ifRanges.flatMap((ifRange) =>
    ifNoneMatches.map((ifNoneMatch) => ({ range, "if-range": ifRange, "if-none-match": ifNoneMatch })),
  ),
);

testWith(nginx).each([
  ["kept", false],
  ["not kept", true],
])(
  "nginx gives of a file that is %s what the model of CloudFront gives, for each range and condition",
  async (_, isCold) => {
    const [release = ""] = edge.games.names.slice(2);
    const location = new TestLocation(edge, storeOf(edge.games.values));
    const host = `my-game.${gamesDomain}`;
    const path = "/bytes.bin";
    const uri = uriOf({ site: "my-game", release, purpose: "file", brotli: false, path });
    const judged = (headers: Readonly<Record<string, string>>, key = "") =>
      sendTo(cache.endpoint, "games", {
        path: uri,
        headers: { [releasesHeader]: `${release}..${release}`, "x-key": key, ...headers },
      });
    await judged({});
    await location.play(host, { path });
    const differences: string[] = [];
    for (const [index, combination] of combinations.entries()) {
      const sent = Object.entries(combination).filter((field): field is [string, string] => field[1] !== undefined);
      const headers = Object.fromEntries(sent);
      if (isCold) location.purge();
      const theirs = await judged(headers, isCold ? String(index) : "");
      const ours = await location.play(host, { path, headers });
      expect(String(theirs.headers["x-cache"])).toMatch(isCold ? /^MISS/ : /^HIT/);
      expect(ours.from).toBe(ours.status === 416 ? "Error" : isCold ? "Miss" : "Hit");
      const [nginxs, models] = [meaning(theirs), meaning(ours)];
      if (nginxs !== models) differences.push(`${JSON.stringify(headers)}: nginx ${nginxs}, the model ${models}`);
    }
    expect(differences).toEqual([]);
  },
);

/** The page that a browser shows for a response; an error's own page does not count. */
function meaning({ status, headers, body }: GameResponse): string {
  const bytes = status < 400 ? body.toString("hex") : "";
  return [status, headers["content-range"], status < 400 && headers["etag"], bytes].join(" ");
}
