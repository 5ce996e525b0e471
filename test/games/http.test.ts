import { beforeAll, expect, test } from "@jest/globals";
import { play } from "../support/service/play.ts";
import { useService } from "../support/service/suite.ts";
import { conditionRows } from "./condition-rows.ts";
import { expected, observed, publishedAt } from "./http-row.ts";
import { pathRows } from "./path-rows.ts";
import { rangeRows } from "./range-rows.ts";

/*
 * A game's own origin against RFC 9110, over the socket. test/long/journeys/edge-oracle.test.ts compares responses of a cold edge with these.
 */

const service = useService();
let slug: string;

beforeAll(async () => {
  slug = await publishedAt(service);
});

test.each([...pathRows, ...rangeRows, ...conditionRows])("a game's own origin: $name: $status", async (row) => {
  const played = await play(service, slug, row.request);
  expect(observed(played, row)).toEqual(expected(row));
  expect(played.headers["x-content-type-options"]).toBe("nosniff");
});
