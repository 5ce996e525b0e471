import { expect, test } from "@jest/globals";
import { limits } from "../../../../contract/api/limits.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { manifestOf, publish } from "../../../support/service/steps.ts";
import { useOwner, useService } from "../../../support/service/suite.ts";
import { storeItems } from "../../../support/table/stored.ts";
import { runSweeper } from "./sweeper-process.ts";

const service = useService();
const ada = useOwner(service);

test("sweeping a project of 10,000 releases with the longest messages takes less memory than their messages", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  const { digest: manifest } = Manifest.of(manifestOf({ "index.html": "1" }));
  const createdAt = new Date().toISOString();
  // Open ones, which no sweep ends for a week. A message in Chinese takes 3 bytes a character, and 2 in memory.
  const described = {
    message: "新".repeat(limits.releaseMessageLength),
    source: { commit: "0".repeat(64), runUrl: `https://ci.example/${"x".repeat(limits.urlLength - 19)}` },
  };
  const release = {
    manifest,
    files: 1,
    bytes: 1,
    createdAt,
    ...described,
    ttl: Math.floor(Date.now() / 1_000) + 99_999,
  };
  const items = Array.from({ length: 10_000 }, (_, index) => {
    const id = `0${String(index).padStart(21, "0")}`;
    return { ...keys.release(ada.slug, id), id, ...release };
  });
  await storeItems(service, items);
  const { output, errors } = await runSweeper(service, ["sweep", ada.slug], {
    NODE_OPTIONS: "--max-old-space-size=48",
  });
  expect({ errors: errors.replace(/^\d+ requests\n/m, ""), output: output.trim() }).toEqual({
    errors: "",
    output: JSON.stringify({ outcome: "done", endedReleases: 0, deletedObjects: 0 }),
  });
});
