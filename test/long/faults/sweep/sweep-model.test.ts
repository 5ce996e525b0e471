import { describe, expect, test } from "@jest/globals";
import { explore, hasLostLiveFile, hasLostPublishedFile, isCondemningNamed } from "./explore.ts";
import { deletesGarbage, publishesAgain } from "./recovery.ts";
import { naive, protocol, type Rules } from "./rules.ts";
import { idlePublisher, idleSweeper, type State } from "./state.ts";

/*
 * Tries on the model every order in which the requests of publishers and sweepers can reach DynamoDB and S3, with a
 * stop between any two of them. docs/decisions/0016-sweep.md describes the protocol.
 */

/** Release 0 is live; of one that was given up the file and the manifest are left. */
function project({ publishers, sweepers }: { publishers: number; sweepers: number }): State {
  return {
    objects: 15,
    uploadable: 0,
    releases: [{ manifest: 0, status: "published" }],
    live: 0,
    opened: 0,
    epoch: 0,
    condemned: 0,
    leases: 0,
    deletions: [0],
    publishers: new Array(publishers).fill(idlePublisher),
    sweepers: new Array(sweepers).fill(idleSweeper),
  };
}

const one = { publishers: 1, sweepers: 1 };

function hasBrokenPromise(state: State): boolean {
  return hasLostLiveFile(state) || hasLostPublishedFile(state) || isCondemningNamed(state);
}

describe("a sweeper that deletes what no manifest names", () => {
  test("loses a file of the live release: one is opened between its reading and its deleting", () => {
    const start = { first: project(one), rules: naive, bounds: { releases: 2, deletions: 1 } };
    const { trace = [] } = explore(start, hasLostLiveFile);
    const at = (label: string) => trace.indexOf(label);
    expect(at("sweeper 0 reads the releases")).toBeGreaterThan(-1);
    expect(at("publisher 0 opens release 1")).toBeGreaterThan(at("sweeper 0 reads the releases"));
    expect(trace.at(-1)).toBe("file y is deleted");
  });
});

const two = { publishers: 2, sweepers: 1 };

/**
 * Takes two minutes and 2.5 million states; run it after a change of the protocol: `SWEEP_MODEL=full npm run
 * test:faults -- -t protocol`.
 */
const full = process.env["SWEEP_MODEL"] === "full";

describe("the protocol", () => {
  test.each([
    ["one publisher and one sweeper, three releases and two deletions", one, { releases: 3, deletions: 2 }],
    ["two publishers, two releases", two, { releases: 2, deletions: 1 }],
    ["two sweepers, of which one may sleep", { publishers: 1, sweepers: 2 }, { releases: 2, deletions: 2 }],
    ...(full ? [["two publishers, three releases", two, { releases: 3, deletions: 1 }] as const] : []),
  ])(
    "loses nothing that a release names: %s",
    (_, processes, bounds) => {
      const { states, trace } = explore({ first: project(processes), rules: protocol, bounds }, hasBrokenPromise);
      expect(trace).toBeUndefined();
      // An exploration that stopped early would find nothing either.
      expect(states).toBeGreaterThan(100_000);
    },
    600_000,
  );

  test.each(Object.keys(protocol) as (keyof Rules)[])("loses a file of the live release without %s", (rule) => {
    const start = { first: project(one), rules: { ...protocol, [rule]: false }, bounds: { releases: 3, deletions: 2 } };
    const { trace } = explore(start, hasLostLiveFile);
    expect(trace?.at(-1)).toMatch(/^(file|manifest) . is deleted$/);
  });

  test("wherever all processes stop, a new publisher can publish, and a new sweeper leaves only what is needed", () => {
    const stuck: State[] = [];
    const start = { first: project(one), rules: protocol, bounds: { releases: 2, deletions: 2 } };
    const { states } = explore(
      start,
      () => false,
      (state) => {
        if (!publishesAgain(state) || !deletesGarbage(state)) stuck.push(state);
      },
    );
    expect(states).toBeGreaterThan(10_000);
    expect(stuck).toEqual([]);
  });
});
