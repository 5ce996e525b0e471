import type { Token } from "../../entities/token.ts";
import { keys, tokenIdOf } from "../../table/keys.ts";
import { markJobTokenEnded } from "../../table/publishers/job-tokens.ts";
import { readItems } from "../../table/read.ts";
import { markTokenRevoked, readToken } from "../../table/tokens/token-items.ts";
import { RawToken } from "./raw-token.ts";

/**
 * Revokes a token for its bearer, who could also use it. A text that is no token, or one that is revoked or expired, changes nothing (RFC 7009,
 * section 2.2).
 *
 * @returns the token as it was; undefined if the text is none
 */
export async function revokeFound(text: string, now: Date): Promise<Token | undefined> {
  const rawToken = RawToken.parse(text);
  if (rawToken === undefined) return undefined;
  const token = await readToken(rawToken.accountKey, tokenIdOf(rawToken.hash));
  if (token === undefined || !rawToken.matches(token.hash)) return undefined;
  if (token.job) await markJobTokenEnded(token, now);
  else await markTokenRevoked(token, now);
  return token;
}

/** A leaked token, and where it was found. The text need not be a token. */
interface DisclosedToken {
  readonly token: string;
  readonly foundAt?: string | undefined;
}

/**
 * Revokes the disclosed tokens that exist and are not revoked yet, with an event that says where each was found. Whoever has a
 * token may revoke it, because they could also use it. The result does not show which of them existed.
 */
export async function revokeDisclosed(disclosed: readonly DisclosedToken[], now: Date): Promise<void> {
  const wellFormed = disclosed.flatMap(({ token, foundAt }) => {
    const rawToken = RawToken.parse(token);
    return rawToken ? [[tokenIdOf(rawToken.hash), { rawToken, foundAt }] as const] : [];
  });
  const byId = new Map(wellFormed);
  const tokens = await readItems([...byId].map(([id, { rawToken }]) => keys.token(rawToken.accountKey, id)));
  // One after the other, because two transactions on one account would conflict.
  for (const token of tokens) {
    if (token === undefined) continue;
    const disclosure = byId.get(token.id);
    if (!disclosure?.rawToken.matches(token.hash)) continue;
    await markTokenRevoked(token, now, { foundAt: disclosure.foundAt });
  }
}
