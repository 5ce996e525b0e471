import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import sirv from "sirv";
import type { Part } from "../../local/part.ts";
import { startHttpServer } from "../support/network/http-server.ts";
import { type GameResponse, play, sendTo } from "../support/service/play.ts";
import { useService } from "../support/service/suite.ts";
import { conditionRows } from "./condition-rows.ts";
import { expected, folder, observed, publishedAt } from "./http-row.ts";
import { pathRows } from "./path-rows.ts";
import { rangeRows } from "./range-rows.ts";

/*
 * A game's own origin against RFC 9110, over the socket. sirv, a well-known static server, gets the same requests for
 * the same files: each row says whether it responds with the same, and if not, why. So does a service with a cold edge
 * (test/long/journeys/cold-http.test.ts).
 */

const rows = [...pathRows, ...rangeRows, ...conditionRows];

const service = useService();
let slug: string;
let other: Part;
let otherFolder: string;

beforeAll(async () => {
  slug = await publishedAt(service);
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

afterAll(async () => {
  await other?.stop();
  rmSync(otherFolder, { recursive: true, force: true });
});

const brokenOff: GameResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };

describe("a game's own origin", () => {
  test.each(rows)("$name: $status", async (row) => {
    const played = await play(service, slug, row.request);
    expect(observed(played, row)).toEqual(expected(row));
    expect(played.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.each(rows)("sirv on $name: $sirv", async (row) => {
    const theirs = await sendTo(other.endpoint, "localhost", row.request).catch(() => brokenOff);
    if (row.sirv === "same") return expect(observed(theirs, row)).toEqual(expected(row));
    expect(row.why).toBeDefined();
    expect(theirs.status).toBe(row.sirv);
    expect(observed(theirs, row)).not.toEqual(expected(row));
  });
});
