import { beforeAll, expect, test } from "@jest/globals";
import { readTokenEvents } from "../../functions/table/accounts/events.ts";
import { keys } from "../../functions/table/keys.ts";
import { useFunctionEnvironment, useRecordedService } from "../../test/support/service/suite.ts";
import { storeItems } from "../../test/support/table/stored.ts";

/*
 * A token's events in the long history of an account.
 */
const service = useRecordedService();
useFunctionEnvironment(service);

/** Stores a history, the latest event first, of which those at these indexes name the token. */
async function history(account: string, length: number, ofToken: readonly number[]): Promise<void> {
  const items = Array.from({ length }, (_, index) => {
    const id = String(99_999 - index);
    return { ...keys.event(account, id), id, ...(ofToken.includes(index) && { tokenId: "t" }) };
  });
  await storeItems(service, items);
}

beforeAll(async () => {
  await history("begun", 9_999, [0, 1_500, 9_998]);
  await history("long", 10_001, [0, 10_000]);
});

test.each([
  ["begun", 3, ["99999", "98499", "90001"], true],
  ["begun", 4, ["99999", "98499", "90001"], true],
  ["begun", 2, ["99999", "98499"], false],
  ["long", 2, ["99999"], false],
])(
  "of the history %s at most %i events of a token are read, and whether these are all",
  async (account, most, ids, isComplete) => {
    const { events, ...rest } = await readTokenEvents(account, "t", most);
    expect({ ids: events.map(({ id }) => id), ...rest }).toEqual({ ids, isComplete });
  },
);

test("no more is read once there are enough, and never more than 10,000 events", async () => {
  const readsOf = async (account: string, most: number) =>
    (await service.recorder.during(() => readTokenEvents(account, "t", most))).length;
  expect([await readsOf("begun", 1), await readsOf("begun", 3), await readsOf("long", 3)]).toEqual([2, 10, 10]);
});
