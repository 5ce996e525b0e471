import { expect, test } from "@jest/globals";

/*
 * A seeded walk that is short enough for each change (.ci/run): calm days alone, with a store of the games' edge that fails now and then.
 */
process.env["WALK_SEED"] ??= "52";
const { checked } = await import("./measurements.ts");
const { counts, seed } = await import("./model.ts");
const { steps } = await import("./steps.ts");
const { walk } = await import("./walk.ts");

test("through calm days every promise is kept", async () => {
  const calm = { clients: 0, busyMilliseconds: 0, trouble: undefined };
  const { broken, pointerWrites } = await walk({ ...calm, isOver: (day) => day >= 9 });
  expect({ seed, broken }).toEqual({ seed, broken: [] });
  const done = { ...counts, pointerWrites, pointers: checked.pointers, ledgers: checked.ledgers };
  const expected = [...Object.keys(steps), "sweptObjects", "pointerWrites", "pointers", "ledgers"] as const;
  expect(expected.filter((name) => !(done as Record<string, number>)[name])).toEqual([]);
}, 300_000);
