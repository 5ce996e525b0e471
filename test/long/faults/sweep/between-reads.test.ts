import { describe, expect, test } from "@jest/globals";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import { publish, sha256 } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";
import { exploreBetweenRequests } from "../between-requests.ts";

const service = useRecordedService();
const ada = useOwner(service);
useFunctionEnvironment(service);

const sweep = () => sweepProject(ada.slug, sweepOf());

async function publishTwice(): Promise<void> {
  for (const page of ["old", "new"]) await publish(ada, ada.slug, { "index.html": page });
}

/** The requests of a sweep, and what is live if the swept release is published before one of them. */
const requests = [
  ["BatchGetItem", "the project is read", "old"],
  ["BatchGetItem", "the project is read for its releases", "old"],
  ["Query", "the releases are read, some of which are deleted", "old"],
  ["TransactWriteItems", "a release is deleted", "old"],
  ["BatchGetItem", "the project is read for its objects", "old"],
  ["Query", "the releases are read that need objects", "old"],
  ["TransactWriteItems", "a deletion intent is written", "old"],
  ["TransactWriteItems", "the deletion is finished: nothing is opened during one", "new"],
  ["TransactWriteItems", "the ledger is set", "old"],
  ["BatchGetItem", "the project is read for copies that nobody has checked", "old"],
] as const;

const liveAfter = (name: string) => requests.find(([, each]) => each === name)?.[2];

test("a sweep that nothing disturbs deletes the file that no release needs", async () => {
  await publishTwice();
  await sweep();
  expect((await storedProject(service, ada.slug)).objects).not.toContain(`files/${sha256("old")}`);
});

describe("what is live has its file after a sweep of it, while it goes live:", () => {
  exploreBetweenRequests({
    ...{ service, requests, prepare: publishTwice, run: sweep },
    meanwhile: async (name) => {
      const publishing = publish(ada, ada.slug, { "index.html": "old" });
      if (liveAfter(name) === "new") await expect(publishing).rejects.toThrow("Opening a release responded with 503");
      await publishing.catch(() => undefined);
    },
    check: async (name) => {
      for (const after of ["this sweep", "the next one"]) {
        const response = await fetch(`${service.api}/projects/${ada.slug}/files/index.html`);
        const text = await response.text();
        expect({ after, status: response.status, text }).toEqual({ after, status: 200, text: liveAfter(name) });
        await sweep();
      }
    },
  });
});
