import { parseArgs } from "node:util";
import { checked } from "./measurements.ts";
import { counts, seed } from "./model.ts";
import { unwalked, walk } from "./walk.ts";

/*
 * `node lab/walk/main.ts -- [--minutes N] [--clients N] [--calm]`: the walk of walk.test.ts for ten minutes, with as many clients as keep
 * two cores busy. With `--calm` no fault happens and one process serves all the time, so that it shows whether its memory
 * grows. WALK_SEED repeats what the people of the model do.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    clients: { type: "string", default: "16" },
    calm: { type: "boolean", default: false },
  },
});
const milliseconds = Number(values.minutes) * 60_000;
const acceptableGrowth = 1.25;
/** The memory of the service reaches its height in the first two minutes. */
const warmUpMilliseconds = 300_000;
const startedAt = performance.now();

const result = await walk({
  clients: Number(values.clients),
  busyMilliseconds: values.calm ? milliseconds : 30_000,
  trouble: values.calm ? undefined : { troubleMilliseconds: 6_000, calmMilliseconds: 4_000 },
  isOver: (day) => day > 0 && (values.calm || performance.now() - startedAt > milliseconds),
});
const { measurements, broken, faults } = result;
const isFlat = !values.calm || milliseconds < warmUpMilliseconds || measurements.growth < acceptableGrowth;
// A short or calm walk does not do everything; what is missing is only said.
const lines = [
  `seed ${seed}`,
  ...measurements.lines(),
  `steps, faults, checked: ${JSON.stringify({ ...counts, ...faults, ...checked })}`,
  ...unwalked(result, values.calm ? 0 : 7),
  ...measurements.errors.slice(0, 20),
  ...broken.slice(0, 20),
  ...(isFlat ? [] : ["The service's memory grows."]),
];
console.log(lines.join("\n"));
const isFine = measurements.errors.length === 0 && broken.length === 0 && isFlat;
console.log(isFine ? "Every promise was kept." : "NOT every promise was kept.");
process.exitCode = isFine ? 0 : 1;
