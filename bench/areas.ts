import { addresses } from "./areas/addresses.ts";
import { api } from "./areas/api.ts";
import { cli } from "./areas/cli.ts";
import { cold } from "./areas/cold.ts";
import { cost } from "./areas/cost.ts";
import { growth } from "./areas/growth.ts";
import { hashing } from "./areas/hashing.ts";
import { latency } from "./areas/latency.ts";
import { middleware } from "./areas/middleware.ts";
import { publish } from "./areas/publish.ts";
import { releases } from "./areas/releases.ts";
import { start } from "./areas/start.ts";
import { tests } from "./areas/tests.ts";
import { warm } from "./areas/warm.ts";
import type { Effort } from "./harness/effort.ts";
import type { Section } from "./harness/section.ts";

/** What `npm run bench` measures, in the order of RESULTS.md. */
export const areas: Readonly<Record<string, (effort: Effort) => Promise<Section>>> = {
  cold,
  warm,
  middleware,
  api,
  growth,
  cost,
  cli,
  publish,
  latency,
  hashing,
  addresses,
  releases,
  start,
  tests,
};

export const areaNames = Object.keys(areas);
