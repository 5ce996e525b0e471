import { keys } from "../../../functions/table/keys.ts";
import type { TestService } from "../service/service.ts";
import { itemsOf, type StoredItem } from "./stored.ts";

/**
 * The notices of an account that wait, also those that are not due yet, in the order of their times. The engine leaves
 * out those of other accounts, which are thousands in a longer suite.
 */
export async function waitingNotices(service: TestService, accountKey: string): Promise<StoredItem[]> {
  return await itemsOf(service, keys.notice(accountKey, "", "").PK, { accountKey });
}
