import { expect, test } from "@jest/globals";
import { counts, seed } from "./model.ts";
import { unwalked, walk } from "./walk.ts";

test("through a month with faults, kills and load every promise is kept", async () => {
  const result = await walk({
    clients: 8,
    busyMilliseconds: 14_000,
    trouble: { troubleMilliseconds: 2_000, calmMilliseconds: 700 },
    isOver: (day) => day >= 30,
  });
  console.log(`seed ${seed}: ${JSON.stringify({ ...counts, ...result.faults })}`);
  const { broken, measurements } = result;
  expect({ seed, broken, errors: measurements.errors }).toEqual({ seed, broken: [], errors: [] });
  expect(unwalked(result, 7)).toEqual([]);
}, 1_500_000);
