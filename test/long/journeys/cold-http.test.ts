import { beforeAll, describe, expect, test } from "@jest/globals";
import { conditionRows } from "../../games/condition-rows.ts";
import { expected, observed, publishedAt } from "../../games/http-row.ts";
import { pathRows } from "../../games/path-rows.ts";
import { rangeRows } from "../../games/range-rows.ts";
import { play } from "../../support/service/play.ts";
import { useService } from "../../support/service/suite.ts";

/*
 * The requests of test/games/http.test.ts at a cold edge, whose locations each have a cache of their own.
 */
const cold = useService({ env: { SVC_COLD_LOCATIONS: "2" } });
const rows = [...pathRows, ...rangeRows, ...conditionRows];
let slug: string;

beforeAll(async () => {
  slug = await publishedAt(cold);
});

describe("a game's own origin", () => {
  test.each(rows)("$name: $status at cold locations too, or the whole on a miss", async (row) => {
    for (let location = 0; location < 2; location += 1) {
      const played = await play(cold, slug, row.request);
      const isMiss = played.headers["x-cache"] === "Miss from cloudfront";
      if (row.status === 304 && isMiss) expect(played.status).toBe(200);
      else expect(observed(played, row)).toEqual(expected(row));
    }
  });

  test("is cold at the second cold location when it is warm at the first", async () => {
    const from: unknown[] = [];
    for (let request = 0; request < 3; request += 1)
      from.push((await play(cold, slug, { path: "/cold.txt" })).headers["x-cache"]);
    expect(from).toEqual(["Miss from cloudfront", "Miss from cloudfront", "Hit from cloudfront"]);
  });
});
