import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import sirv from "sirv";
import type { Part } from "../../local/part.ts";
import { startHttpServer } from "../support/network/http-server.ts";
import { actorsOf } from "../support/service/actors.ts";
import { type GameResponse, play, sendTo } from "../support/service/play.ts";
import type { TestService } from "../support/service/service.ts";
import { newProject, publish } from "../support/service/steps.ts";
import { useService } from "../support/service/suite.ts";
import { conditionRows } from "./condition-rows.ts";
import { folder, type Row } from "./http-row.ts";
import { pathRows } from "./path-rows.ts";
import { rangeRows } from "./range-rows.ts";

/*
 * A game's own origin against RFC 9110, over the socket. sirv, a well-known static server, gets the same requests for
 * the same files: each row says whether it responds with the same, and if not, why. So does a service with an unkind edge.
 */

const rows = [...pathRows, ...rangeRows, ...conditionRows];

const service = useService();
const unkind = useService({ env: { SVC_UNKIND_LOCATIONS: "2" } });
let slug: string;
let unkindSlug: string;
let other: Part;
let otherFolder: string;

beforeAll(async () => {
  [slug, unkindSlug] = await Promise.all([publishedAt(service), publishedAt(unkind)]);
  otherFolder = mkdtempSync(join(tmpdir(), "svc-sirv-"));
  for (const [path, content] of Object.entries(folder)) {
    mkdirSync(dirname(join(otherFolder, path)), { recursive: true });
    writeFileSync(join(otherFolder, path), content);
  }
  const serve = sirv(otherFolder, { etag: true });
  other = await startHttpServer((request, response) => {
    try {
      serve(request, response);
    } catch {
      response.destroy();
    }
  });
});

async function publishedAt(running: TestService): Promise<string> {
  const ada = await actorsOf(running).developer();
  const published = await newProject(ada);
  await publish(ada, published, { ...folder, "cold.txt": "cold" });
  return published;
}

afterAll(async () => {
  await other?.stop();
  rmSync(otherFolder, { recursive: true, force: true });
});

const brokenOff: GameResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };

function observed({ status, headers, body }: GameResponse, row: Row) {
  const names = Object.keys(row.headers ?? {});
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    ...(row.body !== undefined && { body: body.toString("latin1") }),
  };
}

function expected(row: Row) {
  return {
    status: row.status,
    headers: row.headers ?? {},
    ...(row.body !== undefined && { body: Buffer.from(row.body).toString("latin1") }),
  };
}

describe("a game's own origin", () => {
  test.each(rows)("$name: $status", async (row) => {
    const played = await play(service, slug, row.request);
    expect(observed(played, row)).toEqual(expected(row));
    expect(played.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.each(rows)("$name: $status at unkind locations too, or the whole on a miss", async (row) => {
    for (let location = 0; location < 2; location += 1) {
      const played = await play(unkind, unkindSlug, row.request);
      const isMiss = played.headers["x-cache"] === "Miss from cloudfront";
      if (row.status === 304 && isMiss) expect(played.status).toBe(200);
      else expect(observed(played, row)).toEqual(expected(row));
    }
  });

  test("is cold at the second unkind location when it is warm at the first", async () => {
    const from: unknown[] = [];
    for (let request = 0; request < 3; request += 1)
      from.push((await play(unkind, unkindSlug, { path: "/cold.txt" })).headers["x-cache"]);
    expect(from).toEqual(["Miss from cloudfront", "Miss from cloudfront", "Hit from cloudfront"]);
  });

  test.each(rows)("sirv on $name: $sirv", async (row) => {
    const theirs = await sendTo(other.endpoint, "localhost", row.request).catch(() => brokenOff);
    if (row.sirv === "same") return expect(observed(theirs, row)).toEqual(expected(row));
    expect(row.why).toBeDefined();
    expect(theirs.status).toBe(row.sirv);
    expect(observed(theirs, row)).not.toEqual(expected(row));
  });
});
