import { afterEach, beforeEach } from "@jest/globals";
import type { Context } from "aws-lambda";
import { accountKeyOf } from "../../../../contract/api/tokens/token-format.ts";
import { actorsOf, type Developer } from "../../../../test/support/service/actors.ts";
import { duringTests, useFunctionEnvironment, useRecordedService } from "../../../../test/support/service/suite.ts";
import { waitingNotices } from "../../../../test/support/table/outbox.ts";
import { handler } from "../../jobs/deliver-notices.ts";
import { startEventBridge } from "./event-bridge.ts";

/** A developer with tokens. */
export interface Owner {
  readonly ada: Developer;
  readonly accountKey: string;
  /** Ids of the tokens, in the order of their creation. */
  readonly ids: readonly string[];
}

/**
 * The function that delivers notices, between the table of a service and an EventBridge that takes its requests over a
 * socket, for the tests of a file.
 */
export function useDeliveries() {
  const service = useRecordedService({});
  const bus = duringTests(startEventBridge);
  useFunctionEnvironment(service, () => ({ EVENT_BUS_NAME: "svc-test", EVENTBRIDGE_ENDPOINT: bus.endpoint }));

  beforeEach(async () => {
    // Deliver the notices that other tests have left.
    await deliver();
    bus.requests.length = 0;
  });

  afterEach(() => {
    bus.plan(undefined);
    service.recorder.plan(undefined);
  });

  const deliver = async (remainingMilliseconds = 50_000): Promise<void> => {
    const context = { awsRequestId: "run", getRemainingTimeInMillis: () => remainingMilliseconds };
    await handler({}, context as Context);
  };

  return {
    service,
    bus,
    deliver,
    developerWithTokens: async (count: number): Promise<Owner> => {
      const ada = await actorsOf(service).developer();
      const tokens = [];
      for (let made = 0; made < count; made += 1) tokens.push(await ada.token());
      return { ada, accountKey: accountKeyOf(tokens[0]?.credential ?? ""), ids: tokens.map(({ id }) => id) };
    },
    /** Notices that the bus has taken about an account, in the order in which it came. */
    takenOf: ({ ada }: Owner) => bus.taken().filter(({ account }) => account.uid === ada.uid),
    dueNotices: async ({ accountKey }: Owner) =>
      (await waitingNotices(service, accountKey)).filter(({ type }) => type !== "token_expiring"),
  };
}
