import type { Idempotency, SentIdempotencyKey } from "../../entities/idempotent-creation.ts";
import type { Caller } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";

/**
 * Makes the check of a request's idempotency key, which is called at each attempt of the request. If something was created with
 * the key between two attempts, another request with it is under way: its response must stay the only one.
 *
 * @throws ServiceError `idempotency_key_reused`, `idempotency_key_in_use`
 */
export function idempotencyCheck(sent: SentIdempotencyKey | undefined) {
  let seenAtFirst: { readonly created: string | undefined } | undefined;
  return ({ account, createdBefore }: Caller, now: Date): Idempotency | undefined => {
    if (sent === undefined || account === undefined) return undefined;
    const isOver = createdBefore === undefined || createdBefore.ttl * 1_000 <= now.getTime();
    const earlier = isOver ? undefined : createdBefore;
    if (earlier && earlier.fingerprint !== sent.fingerprint) throw new ServiceError("idempotency_key_reused");
    seenAtFirst ??= { created: earlier?.created };
    if (seenAtFirst.created !== earlier?.created) throw new ServiceError("idempotency_key_in_use");
    return { ...sent, accountKey: account.key, earlier };
  };
}
