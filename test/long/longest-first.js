import { fileURLToPath } from "node:url";
import Sequencer from "@jest/test-sequencer";

/** The suites that last longest, the longest first. */
const longest = [
  "faults/dynamodb-faults.test.ts",
  "journeys/guides.test.ts",
  "journeys/options.test.ts",
  "security/person-makes-live.test.ts",
  "security/fuzz.test.ts",
  "../../infra/deploy.test.ts",
  "deployment/access.test.ts",
  "deployment/construct.test.ts",
  "faults/cli-publish.test.ts",
  "faults/sweep/killed-sweep.test.ts",
  "security/authorization.test.ts",
  "deployment/smoke-stage.test.ts",
  "../../options/profiles/test/browser/games/profile.test.ts",
  "../browser/games/games.test.ts",
  "../browser/games/workers.test.ts",
  "../browser/games/portals.test.ts",
  "../browser/dashboard/first-publication.test.ts",
  "../browser/dashboard/changes.test.ts",
  "../browser/walks/developer.test.ts",
  "../browser/walks/teenager.test.ts",
].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/**
 * Begins with the suites that last longest, so that no worker is idle while the other still has one of them. In a fresh clone
 * jest itself knows no times and begins with the largest files.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (longest.includes(path) ? longest.indexOf(path) : longest.length);
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
