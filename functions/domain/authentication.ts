import { ServiceError } from "../../contract/errors.ts";
import type { Account } from "../table/accounts.ts";
import { accountKey, keys, tokenIdOf } from "../table/keys.ts";
import type { Project } from "../table/projects.ts";
import { readItems } from "../table/read.ts";
import type { Token } from "../table/tokens.ts";
import type { RawToken } from "./raw-token.ts";

/** A person whom the identity provider vouches for, with or without an account. */
export type Person = Pick<Account, "uid" | "name" | "email" | "avatar"> & { readonly issuer: string };

/** What a request proves its caller with: a verified ID token's person, or a personal access token yet to be looked up. */
export type Credential =
  | { readonly kind: "session"; readonly person: Person }
  | { readonly kind: "token"; readonly rawToken: RawToken };

/** Who calls, and the project that the call is about, all from one wave of reads. */
export interface Caller {
  /** Set for an ID token. */
  readonly person: Person | undefined;
  /** Undefined for an ID token whose person has no account yet. */
  readonly account: Account | undefined;
  /** Set for a personal access token: one that is active now. */
  readonly token: Token | undefined;
  /** The project that was asked for, whoever owns it. */
  readonly project: Project | undefined;
}

/**
 * Finds the caller, and the project that the request names, with one strongly consistent read: a token that was revoked
 * before this call began is refused.
 *
 * @throws ServiceError `token_invalid`, `token_revoked`, `token_expired`
 */
export async function findCaller(credential: Credential, slug: string | undefined, now: Date): Promise<Caller> {
  const projectKeys = slug === undefined ? [] : [keys.project(slug)];
  if (credential.kind === "session") {
    const { person } = credential;
    const [account, project] = await readItems([keys.account(accountKey(person.issuer, person.uid)), ...projectKeys]);
    return { person, account, token: undefined, project } as unknown as Caller;
  }
  const { rawToken } = credential;
  const owner = rawToken.accountKey;
  const [account, token, project] = (await readItems([
    keys.account(owner),
    keys.token(owner, tokenIdOf(rawToken.hash)),
    ...projectKeys,
  ])) as unknown as [Account | undefined, Token | undefined, Project | undefined];
  if (account === undefined || token === undefined || !rawToken.matches(token.hash))
    throw new ServiceError("token_invalid");
  if (token.revokedAt !== undefined) throw new ServiceError("token_revoked");
  if (token.expiresAt <= now.toISOString()) throw new ServiceError("token_expired");
  return { person: undefined, account, token, project };
}
