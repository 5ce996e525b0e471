import * as z from "zod/mini";
import { text } from "../../../contract/api/route.ts";

/*
 * Records of the page that measures a game (docs/profiles.md has each field in words). Nothing of it names a person.
 */

const longestMilliseconds = 24 * 3_600_000;

/** Milliseconds. */
const milliseconds = z.number().check(z.minimum(0), z.maximum(longestMilliseconds));
/** Milliseconds since the page that measures was opened. */
const at = milliseconds;
const count = z.int().check(z.minimum(0));
const size = z.number().check(z.minimum(0), z.maximum(100_000));

/** A record of one kind. */
// @__NO_SIDE_EFFECTS__
function kind<const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), at, ...shape });
}

const script = z.strictObject({
  source: text(300),
  function: text(100),
  invoker: text(300),
  duration: milliseconds,
});

export const telemetryRecord = z.discriminatedUnion("type", [
  /** Device that measured, once for each page. */
  kind("device", {
    browser: text(300),
    width: size,
    height: size,
    density: size,
    cores: count,
    graphics: text(300),
    isolated: z.boolean(),
    /** Kinds of records that this browser cannot measure. */
    lacks: z.array(z.enum(["long_frame", "input", "resource", "memory"])).check(z.maxLength(10)),
  }),
  kind("start", {}),
  kind("stop", {}),
  kind("mark", { name: text(80) }),
  /** Times between frames that the game asked for, which follow each other from `at` on. */
  kind("frames", { durations: z.array(milliseconds).check(z.minLength(1), z.maxLength(1_000)) }),
  /** Time in which how the game draws cannot be seen: it asked for no frames, or a worker draws it. */
  kind("unmeasured", { duration: milliseconds, reason: z.enum(["no_request", "worker"]) }),
  kind("long_frame", {
    duration: milliseconds,
    blocking: milliseconds,
    scripts: z.array(script).check(z.maxLength(5)),
  }),
  kind("input", { name: text(40), delay: milliseconds, duration: milliseconds }),
  kind("resource", {
    name: text(300),
    initiator: text(40),
    duration: milliseconds,
    transferred: count,
    decoded: count,
    encoding: z.optional(text(40)),
  }),
  kind("load", { response: milliseconds, interactive: milliseconds, loaded: milliseconds }),
  kind("error", { message: text(500), source: text(300), line: count }),
  kind("memory", { bytes: count }),
]);

export type TelemetryRecord = z.infer<typeof telemetryRecord>;
