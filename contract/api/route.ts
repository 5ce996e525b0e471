import * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import { limits } from "./limits.ts";
import { hasHiddenCharacters } from "./visible-text.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type Scope = "preview" | "publish" | "projects";
type Schema = z.core.$ZodType;

/** A 2xx or 3xx response: the schema of its JSON body, or null if it has none (or none in JSON). */
type Responses = { readonly [status: number]: Schema | null };

/**
 * One route of the API as data. Infrastructure, functions, local service, command line and OpenAPI document are all made from it.
 */
export interface Route {
  readonly method: Method;
  /**
   * The methods of the other routes on this path, on the route that receives all methods (contract/api/routes.ts): API Gateway has it as
   * `ANY`. Its function serves HEAD as GET and responds with 405 to all others, so neither needs routes of its own.
   */
  readonly otherMethods?: readonly Method[];
  /** `:name` is one segment, `*name` the rest of the path. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Details that a caller must also know. */
  readonly details?: string;
  readonly tag:
    | "Accounts"
    | "Tokens"
    | "Projects"
    | "Members"
    | "Publishers"
    | "Releases"
    | "Profiles"
    | "Webhooks"
    | "Approvals"
    | "Service";
  /** none: public; idToken: an ID token only; token: a personal access token only; any: either of them; grant: a telemetry grant only. */
  readonly credential: "none" | "idToken" | "token" | "any" | "grant";
  /** It can be called without an account: to create it, or to erase what is left of a deleted one. */
  readonly account?: "optional";
  /** A suspended account, or one with a suspended project, may call it too: it shows what is there, or reduces what a credential can do. */
  readonly suspended?: "allowed";
  readonly role?: "dev";
  /**
   * The caller must have signed in recently, if the stage sets how recently. `always`: if the stage does not set
   * it, within ten minutes, if the provider gives the time of the sign-in.
   */
  readonly recentSignIn?: true | "always";
  /** The token that a CI job got for its identity may call it too: it publishes, and does nothing else. */
  readonly ciJobs?: "allowed";
  /** Scope that a personal access token must hold; an ID token needs no scope. */
  readonly scope?: Scope;
  /**
   * Role that the caller must at least have in the project that `:slug` names: owner, admin, publisher or viewer, who changes nothing;
   * `invited`: holder of the invitation that `:invitation` names, or one who may withdraw it. To all others there is no project, and no invitation.
   */
  readonly project?: "owner" | "admin" | "publisher" | "viewer" | "invited";
  /**
   * What it does in a project where a person makes live (`person_makes_live`). free: it changes nothing that players get; session: it changes
   * that, or who may, so it needs an ID token whose sign-in is at most `limits.personSignInSeconds` old, and no token may call it; waits: the
   * same, but what a token makes live waits for a person.
   */
  readonly personMakesLive?: "free" | "session" | "waits";
  /** The project may be a deleted one. */
  readonly deletedProject?: "allowed";
  /** Storage of the account's projects is read together with the account. */
  readonly storage?: true;
  /** The option that it belongs to: a stage that leaves it out does not have the route, nor has its OpenAPI document. */
  readonly option?: string;
  /** Only a page of the service itself or a browser by itself sends it, so the API's documents leave it out. */
  readonly internal?: true;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** The body is a form and errors are OAuth's (RFC 6749, section 5.2), not problems. */
  readonly form?: true;
  /**
   * It creates something, so it takes the header Idempotency-Key: a request that is sent again with the same key creates nothing
   * more (docs/decisions/0040-optimistic-locking.md#idempotency-keys).
   */
  readonly idempotencyKey?: true;
  /** It takes If-Match and If-Unmodified-Since: the representation that a GET of its path has must still be the client's. */
  readonly preconditions?: true;
  /** The body has a list of files, so it may be larger than others (`limits.manifestBodyBytes`). */
  readonly manifestBody?: true;
  /** The body is what browsers send by the Reporting API: `application/reports+json` of at most `limits.reportsBodyBytes`. */
  readonly reportsBody?: true;
  /** A request without a body counts as `{}`. */
  readonly bodyOptional?: true;
  readonly responses: Responses;
  /** The errors of this route beyond those that follow from its other members. */
  readonly errors?: readonly ErrorCode[];
}

/** A route of an option: without the option's name, a stage that leaves it out would have the route all the same. */
export type OptionRoute = Route & { readonly option: string };

/** Every change of a project says what it does where a person makes live: a route that says nothing does not compile. */
type ChangeOfProject<R> = R extends { readonly project: string; readonly method: Exclude<Method, "GET"> }
  ? Required<Pick<Route, "personMakesLive">>
  : unknown;

/** Checks a route's shape where it is written and keeps its exact type. */
// @__NO_SIDE_EFFECTS__
export function defineRoute<const R extends Route>(route: R & ChangeOfProject<R>): R {
  return route;
}

/**
 * A schema with its meaning, which the OpenAPI document tells. Examples of bodies are made of the examples of the
 * fields (contract/documents/examples.ts).
 */
// @__NO_SIDE_EFFECTS__
export function about<S extends z.ZodMiniType>(description: string, schema: S, example?: z.input<S>): S {
  const described = schema.clone(undefined, { parent: true });
  z.globalRegistry.add(described, { description, ...(example !== undefined && { examples: [example] }) });
  return described;
}

/** Edits that a request may make to these fields: to each of them, and to nothing else. */
export type EditsOf<Fields> = { readonly [Name in keyof Fields]: z.ZodMiniOptional };

/** Unicode's category Cc, written so that validators of the OpenAPI document that compile patterns without `u` read it as well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it excludes
const noControlCharacter = /^[^\u0000-\u001f\u007f-\u009f]*$/u;

/** Half of a surrogate pair cannot be written in UTF-8, so no store takes it. */
// @__NO_SIDE_EFFECTS__
function wellFormed() {
  return z.refine<string>((value) => value.isWellFormed(), "must be well-formed Unicode");
}

/** One line of text for people: 1 to `maximum` characters, no control or invisible characters, no white space at the ends. */
// @__NO_SIDE_EFFECTS__
export function line(maximum: number) {
  return z.string().check(
    z.trim(),
    z.minLength(1, "must not be empty"),
    z.maxLength(maximum, `must have at most ${maximum} characters`),
    z.regex(noControlCharacter, "must not contain control characters"),
    z.refine(
      (value) => !noControlCharacter.test(value) || !hasHiddenCharacters(value),
      "must not contain invisible characters",
    ),
    wellFormed(),
  );
}

/** A text for people that may have several lines. */
// @__NO_SIDE_EFFECTS__
export function text(maximum: number) {
  return z.string().check(z.maxLength(maximum, `must have at most ${maximum} characters`), wellFormed());
}

/** URL without a user name, which makes https://github.com@evil.example/ look like another host's URL. */
const httpsPattern = /^[Hh][Tt][Tt][Pp][Ss]:\/\/(?![^/?#\\]*@)/;

/**
 * An https URL of a named host. URL parsers accept `https:host`, control characters and halves of surrogate pairs; stores and
 * pages do not.
 */
// @__NO_SIDE_EFFECTS__
export function httpsUrl(maximum: number) {
  const error = "must be an https URL";
  return z.url({ protocol: /^https$/, hostname: z.regexes.domain, error }).check(
    z.maxLength(maximum, `must have at most ${maximum} characters`),
    z.refine((value) => httpsPattern.test(value) && noControlCharacter.test(value) && value.isWellFormed(), error),
    z.meta({ pattern: httpsPattern.source }),
  );
}

/** A whole number from `minimum` to `maximum`. */
// @__NO_SIDE_EFFECTS__
export function wholeNumber(maximum: number, minimum = 1) {
  return z
    .int("must be a whole number")
    .check(
      z.minimum(minimum, minimum === 0 ? "must not be negative" : `must be at least ${minimum}`),
      z.maximum(maximum, `must be at most ${maximum}`),
    );
}

/** A list of 1 to `maximum` things of one kind, such as a file. */
// @__NO_SIDE_EFFECTS__
export function listOf<Item extends z.ZodMiniType>(item: Item, maximum: number, kind: string) {
  return z
    .array(item)
    .check(
      z.minLength(1, `must name at least one ${kind}`),
      z.maxLength(maximum, `must name at most ${maximum} ${kind}s`),
    );
}

/** Check of a list: each value once. */
// @__NO_SIDE_EFFECTS__
export function unique(value: string) {
  return [
    z.refine<readonly string[]>((values) => new Set(values).size === values.length, `must not repeat ${value}`),
    z.meta({ uniqueItems: true }),
  ];
}

export const expectCurrent = about(
  "The id of the release that must be live for the call to take effect; null: no release may be live.",
  z.optional(z.nullable(z.string().check(z.minLength(1), z.maxLength(64), wellFormed()))),
  "00VbWvHSyQF4umoBzMMQnh",
);

/** An RFC 3339 time in UTC. */
export const time = z.iso.datetime();

/** An id or a name in a path, or of the same thing in a body. */
export const pathParameter = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(limits.uidLength, `must have at most ${limits.uidLength} characters`),
    wellFormed(),
  );

export const cursor = about(
  "`next_cursor` of the page before.",
  z.optional(z.string().check(z.maxLength(1_024))),
  "dEs0dWZqMDBWYkwzTTh2U0tIZzhyRGtoeW04",
);

/** `?limit=&cursor=` of a list whose pages have so many entries at most. */
// @__NO_SIDE_EFFECTS__
export function pagesUpTo(maximum: number) {
  return z.strictObject({
    limit: about(
      "How many entries a page has at most.",
      z._default(
        z.coerce
          .number("must be a whole number")
          .check(
            z.int("must be a whole number"),
            z.minimum(1, "must be at least 1"),
            z.maximum(maximum, `must be at most ${maximum}`),
          ),
        limits.defaultPageSize,
      ),
    ),
    cursor,
  });
}

/** The same of nearly every list. */
export const pageQuery = pagesUpTo(limits.pageSize);

export const nextCursor = about("For the next page; null on the last one.", z.nullable(z.string()), null);
