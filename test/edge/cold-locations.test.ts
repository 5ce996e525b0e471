import { expect, test } from "@jest/globals";
import { distributionOf } from "../../local/edge/local-edge.ts";
import { script } from "../support/edge/games.ts";
import { ColdTestEdge, gamesDomain, reportUrl, useEdge } from "../support/edge/suite.ts";
import { storeOf } from "../support/edge/viewer-runtime.ts";
import type { Play } from "../support/service/play.ts";
import { sha256 } from "../support/service/steps.ts";

/*
 * Cold edge locations in the model of CloudFront. edge-oracle.test.ts shows that players get the same bytes there.
 */

const edge = useEdge();

function coldEdge() {
  const cold = new ColdTestEdge(edge, storeOf(edge.games.values), () => 0);
  return async (path: string, headers: Play["headers"] = {}) => {
    const { body, ...played } = await cold.play(`my-game.${gamesDomain}`, { path, headers });
    return { ...played, text: body.toString("latin1") };
  };
}

test("no location is warm: three requests are misses before the first hit", async () => {
  const play = coldEdge();
  const from: string[] = [];
  for (let request = 0; request < 4; request += 1) from.push((await play("/game.js")).from);
  expect(from).toEqual(["Miss", "Miss", "Miss", "Hit"]);
});

test("what is not asked for often is evicted", async () => {
  const play = coldEdge();
  const playAtAll = async (path: string) => [await play(path), await play(path), await play(path)];
  await playAtAll("/game.js");
  for (let query = 0; query < 20; query += 1) await playAtAll(`/none-${query}`);
  expect(await playAtAll("/game.js")).toMatchObject([{ from: "Miss" }, { from: "Miss" }, { from: "Miss" }]);
});

test("a viewer that has the file gets it whole on a miss, and 304 on a hit", async () => {
  const play = coldEdge();
  const condition = { "if-none-match": `"${sha256(script)}"` };
  for (let location = 0; location < 3; location += 1)
    expect(await play("/game.js", condition)).toMatchObject({ status: 200, text: script, from: "Miss" });
  expect(await play("/game.js", condition)).toMatchObject({ status: 304, text: "", from: "Hit" });
});

test.each([
  ["bytes=4-8", "bytes=0-65535", 206, "score"],
  ["bytes=70000-", "bytes=65536-", 416, ""],
  ["bytes=270-", "bytes=0-", 206, "score = 0;"],
  ["bytes=-3", "bytes=-65535", 206, " 0;"],
  ["bytes=-0", "bytes=-0", 416, ""],
  ["bytes=300-301", "bytes=0-65535", 416, ""],
  ["bytes=9-8", "bytes=9-8", 200, script],
])("for %s the origin is asked for %s, and the viewer gets what it wants", async (range, larger, status, text) => {
  const ranges: unknown[] = [];
  const { loadHandler } = edge.cold;
  const recorded = async () => {
    const handler = await loadHandler();
    return async (event: never, context: never) => {
      const [{ cf }] = (event as { Records: [{ cf: { request: { headers: { range?: [{ value: string }] } } } }] })
        .Records;
      ranges.push(cf.request.headers.range?.[0].value);
      return await handler(event, context);
    };
  };
  const cold = new ColdTestEdge({ ...edge, cold: { ...edge.cold, loadHandler: recorded } }, storeOf(edge.games.values));
  for (const from of ["Miss", "Miss", "Miss", "Hit"]) {
    const played = await cold.play(`my-game.${gamesDomain}`, { path: "/game.js", headers: { range } });
    expect({ ...played, text: played.body.toString() }).toMatchObject({ status, text, ...(status < 400 && { from }) });
  }
  expect(ranges[0]).toBe(larger);
});

test("an immutable file is as old as the cache lets it be, so a browser asks again", async () => {
  const play = coldEdge();
  for (let location = 0; location < 3; location += 1) await play("/assets/x.js");
  expect((await play("/assets/x.js")).headers).toMatchObject({
    age: "31535999",
    "cache-control": expect.stringContaining("max-age=31536000"),
  });
});

test("an instance of the origin's function ends after 100 calls, and the next one has to start", async () => {
  const { loadHandler } = await distributionOf({ gamesDomain, reportUrl, isCold: true });
  const instances = new Set<unknown>();
  const slow: number[] = [];
  for (let call = 0; call < 200; call += 1) {
    const begun = performance.now();
    instances.add(await loadHandler());
    if (performance.now() - begun > 250) slow.push(call);
  }
  expect(instances.size).toBe(2);
  expect(slow).toEqual(expect.arrayContaining([0, 100]));
});
