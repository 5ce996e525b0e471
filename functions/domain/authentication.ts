import type { Account, Identity } from "../entities/account.ts";
import type { IdempotentCreation } from "../entities/idempotent-creation.ts";
import type { Ledger, Project } from "../entities/project.ts";
import type { Publisher, Token } from "../entities/token.ts";
import * as environment from "../environment.ts";
import { accountKey, keys, tokenIdOf } from "../table/keys.ts";
import type { ProjectChange } from "../table/projects/history.ts";
import { readItems } from "../table/read.ts";
import { assertNotRefused, assertTakesToken } from "./projects/state.ts";
import { isStillTrusted } from "./publishers/trust.ts";
import { ServiceError } from "./service-error.ts";
import type { RawToken } from "./tokens/raw-token.ts";
import { tokenStatus } from "./tokens/tokens.ts";

/** The credential of a request: a verified ID token, or a personal access token that has not been looked up yet. */
export type Credential =
  | { readonly kind: "idToken"; readonly person: Identity }
  | { readonly kind: "token"; readonly rawToken: RawToken };

/** The caller of a request, and what was read with it. */
export type Caller = IdTokenCaller | TokenCaller;

/** Items that a request needs beside its caller. */
interface RequiredItems {
  /** Slug of the project that the request names, whoever owns it. */
  readonly slug: string | undefined;
  /** Whether what is stored of the account is wanted. */
  readonly storage: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface IdTokenCaller {
  readonly kind: "idToken";
  readonly person: Identity;
  /** Undefined for a person without an account. */
  readonly account: Account | undefined;
  readonly project: Project | undefined;
  readonly ledger: Ledger | undefined;
  /** Creation by an earlier request of the account with the same idempotency key. */
  readonly createdBefore: IdempotentCreation | undefined;
}

export interface TokenCaller {
  readonly kind: "token";
  readonly account: Account;
  readonly token: Token;
  readonly project: Project | undefined;
  readonly ledger: Ledger | undefined;
  /** Creation by an earlier request of the account with the same idempotency key. */
  readonly createdBefore: IdempotentCreation | undefined;
}

/** The part of an authorised caller that the rules need: the account, and the token if one was used. */
export type Actor =
  | { readonly kind: "idToken"; readonly account: Account; readonly person: Identity }
  | { readonly kind: "token"; readonly account: Account; readonly token: Token };

/** An actor, with the project that the request is about. */
export type ProjectActor = Actor & { readonly project: Project };

/**
 * Finds the caller, and what the request needs beside it, with one strongly consistent read: a token that was revoked
 * before this call began is refused.
 *
 * @throws ServiceError `token_invalid`, `token_revoked`, `token_expired`
 */
export async function findCaller(credential: Credential, wanted: RequiredItems, now: Date): Promise<Caller> {
  if (credential.kind === "idToken") {
    const { person } = credential;
    const key = accountKey(person.issuer, person.uid);
    const [account, project, ledger, createdBefore] = await readItems([keys.account(key), ...wantedKeys(key, wanted)]);
    return { kind: "idToken", person, account, project, ledger, createdBefore };
  }
  const { rawToken } = credential;
  const owner = rawToken.accountKey;
  const tokenKey = keys.token(owner, tokenIdOf(rawToken.hash));
  const [account, token, project, ledger, createdBefore] = await readItems([
    keys.account(owner),
    tokenKey,
    ...wantedKeys(owner, wanted),
  ]);
  if (account === undefined || token === undefined || !rawToken.matches(token.hash))
    throw new ServiceError("token_invalid");
  if (!isOfConfiguredIssuer(account)) throw new ServiceError("token_invalid", { detail: formerIssuer });
  const refusal = refusalOf(token, now) ?? (wanted.slug === token.projects?.[0] ? distrust(token, project) : undefined);
  if (refusal) throw refusal;
  return { kind: "token", account, token, project, ledger, createdBefore };
}

/**
 * Finds who once made a stored decision, as that account and token are now, for a rule that asks again whether they have the right. A person
 * has no sign-in then.
 *
 * @throws ServiceError `account_required` if the account is deleted; `token_invalid`, `token_revoked`, `token_expired`
 */
export async function findEarlierCaller({ accountKey: owner, token: used }: Publisher, project: Project, now: Date) {
  const [account, token] = await readItems([keys.account(owner), used ? keys.token(owner, used.id) : undefined]);
  if (account === undefined) throw new ServiceError("account_required");
  if (!isOfConfiguredIssuer(account)) throw new ServiceError("token_invalid", { detail: formerIssuer });
  const found = { account, project, ledger: undefined, createdBefore: undefined } as const;
  if (used === null) return { kind: "idToken", person: personOf(account), ...found } as const;
  const refusal = refusalOf(token, now) ?? (token && distrust(token, project));
  if (refusal) throw refusal;
  return { kind: "token", token: token as Token, ...found } as const;
}

/** An account's person without a sign-in. */
function personOf({ uid, name, avatar }: Account): Identity {
  const issuer = environment.idpIssuer();
  const absent = { email: null, emailVerified: false, authTime: null, claims: {} };
  return { issuer, uid, name, placeholderName: name, avatar, ...absent };
}

function wantedKeys(owner: string, { slug, storage, idempotencyKey }: RequiredItems) {
  return [
    slug === undefined ? undefined : keys.project(slug),
    storage ? keys.ledger(owner) : undefined,
    idempotencyKey === undefined ? undefined : keys.idempotentCreation(owner, idempotencyKey),
  ] as const;
}

const formerIssuer =
  "The account of this personal access token belongs to an identity provider that this service no longer uses. Sign in and create a new one.";

/** An account's key is the digest of its issuer and uid, so it tells which issuer the account belongs to. */
function isOfConfiguredIssuer({ key, uid }: Account): boolean {
  return key === accountKey(environment.idpIssuer(), uid);
}

/**
 * Why a token is refused at a time; undefined if it is accepted. A token that is not stored any more was deleted
 * after it ended.
 */
function refusalOf(token: Token | undefined, now: Date): ServiceError | undefined {
  if (token === undefined) return new ServiceError("token_invalid");
  const status = tokenStatus(token, now);
  return status === "active" ? undefined : new ServiceError(`token_${status}`);
}

/** Why the token of a CI job is refused for its project; undefined for any other token. */
function distrust(token: Token, project: Project | undefined): ServiceError | undefined {
  if (isStillTrusted(token, project)) return undefined;
  const detail =
    "The trusted publisher of this token was removed, or its project was deleted, suspended or handed over. Its owner can add a publisher.";
  return new ServiceError("token_revoked", { detail });
}

/**
 * Reads an actor's token and the project again, before the request gives out URLs that work without a token.
 *
 * @throws ServiceError `token_revoked`, `token_expired`, `token_invalid`, `token_refused`, `tokens_refused`
 */
export async function assertStillActive(actor: ProjectActor, now: Date): Promise<void> {
  if (actor.kind === "idToken") return;
  const { accountKey: owner, id } = actor.token;
  const [token, project] = await readItems([keys.token(owner, id), keys.project(actor.project.slug)]);
  const refusal = refusalOf(token, now) ?? distrust(actor.token, project);
  if (refusal) throw refusal;
  if (project === undefined) return;
  assertNotRefused(project, actor.token);
  assertTakesToken(project, actor.token);
}

/** Change by an actor, as the history records it. */
export function changeBy(actor: Actor, now: Date): ProjectChange {
  return { by: actor.account.key, token: tokenOf(actor), now };
}

/** The token that an actor used. */
export function tokenOf(actor: Actor): Token | undefined {
  return actor.kind === "token" ? actor.token : undefined;
}
