import { expect, test } from "@jest/globals";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { publish, sha256 } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/*
 * Before each request of a sweep to the table, a release goes live whose file the sweep is about to delete.
 */
const service = useRecordedService();
const ada = useOwner(service);
useFunctionEnvironment(service);

const sweep = () => sweepProject(ada.slug, sweepOf());

async function publishTwice(): Promise<void> {
  for (const page of ["old", "new"]) await publish(ada, ada.slug, { "index.html": page });
}

/** The requests of a sweep that nothing disturbs, and what is live if the swept release is published before one of them. */
const requests = [
  ["BatchGetItem", "the project is read", "old"],
  ["BatchGetItem", "the project is read for its releases", "old"],
  ["Query", "the releases are read, some of which are deleted", "old"],
  ["TransactWriteItems", "a release is deleted", "old"],
  ["BatchGetItem", "the project is read for its objects", "old"],
  ["Query", "the releases are read that need objects", "old"],
  ["TransactWriteItems", "the deletion of objects is announced", "old"],
  ["TransactWriteItems", "the deletion is finished: nothing is opened during one", "new"],
  ["TransactWriteItems", "the ledger is set", "old"],
] as const;

test("these are the requests of a sweep", async () => {
  await publishTwice();
  const calls = await service.recorder.during(sweep);
  expect(calls.map(({ operation }) => operation)).toEqual(requests.map(([operation]) => operation));
  expect((await storedProject(service, ada.slug)).objects).not.toContain(`files/${sha256("old")}`);
});

test.each(requests.map(([, name, live], index) => [name, live, index + 1] as const))(
  "a release goes live before %s: what is live has its file (%s)",
  async (_, live, place) => {
    await publishTwice();
    let seen = 0;
    await overtakenBy(service, () => ++seen === place)(
      async () => (await sweep()) as never,
      async () => {
        const publishing = publish(ada, ada.slug, { "index.html": "old" });
        if (live === "new") await expect(publishing).rejects.toThrow("Opening a release responded with 503");
        await publishing.catch(() => undefined);
      },
    );
    for (const after of ["this sweep", "the next one"]) {
      const response = await fetch(`${service.api}/projects/${ada.slug}/files/index.html`);
      expect({ after, status: response.status, text: await response.text() }).toEqual({
        ...{ after, status: 200 },
        text: live,
      });
      await sweep();
    }
  },
  30_000,
);
