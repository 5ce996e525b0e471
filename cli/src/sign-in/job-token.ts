import type { JobScope } from "../../../contract/api/ci-jobs.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { JobIdentity } from "../job-identity.ts";
import { printable } from "../text.ts";
import { postForm } from "./authorization-server.ts";
import { adviceFor } from "./job-advice.ts";

/** A token is renewed so long before it expires. */
const renewedEarlySeconds = 120;

/** Project to which a job wants to do something. */
export interface JobProject {
  readonly slug: string;
  /** The uid of the account that must own it, if the job names one. */
  readonly owner?: string | undefined;
  /** Scope that the token must have; undefined: whatever the project's publishers let the job do. */
  readonly scope?: JobScope | undefined;
}

interface ProjectOwner {
  readonly uid: string;
  readonly name: string;
}

/** The token that a CI job gets for its identity, renewed while the job runs. */
export class JobToken {
  readonly #api: URL;
  readonly #slug: string;
  readonly #owner: string | undefined;
  readonly #identity: JobIdentity;
  readonly #scope: JobScope | undefined;
  readonly provider: JobIdentity["provider"];
  /** Whose project the API says it is. */
  owner: ProjectOwner | undefined;
  #token: string | undefined;
  #renewsAt = 0;
  #expiresAt = 0;
  #renewal: Promise<string> | undefined;

  constructor(api: URL, { slug, owner, scope }: JobProject, identity: JobIdentity) {
    this.#api = api;
    this.#slug = slug;
    this.#owner = owner;
    this.#identity = identity;
    this.#scope = scope;
    this.provider = identity.provider;
  }

  /**
   * A token that is valid for two minutes at least, if one can be had.
   *
   * @throws UserError if the API refuses the job, with the publisher that would match it
   */
  readonly current = async (): Promise<string> => {
    if (this.#token !== undefined && Date.now() < this.#renewsAt) return this.#token;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return await this.#renewal;
  };

  async #renew(): Promise<string> {
    try {
      return await this.#exchangeNext();
    } catch (failure) {
      if (this.#token === undefined || Date.now() >= this.#expiresAt) throw failure;
      return this.#token;
    }
  }

  async #exchangeNext(): Promise<string> {
    return await this.#exchange(await this.#identity.next(this.#api.origin));
  }

  async #exchange(identityToken: string): Promise<string> {
    const { body, error } = await postForm(new URL("oauth/token", this.#api), {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: identityToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      resource: `${this.#api.origin}/projects/${this.#slug}`,
      ...(this.#owner !== undefined && { owner: this.#owner }),
      ...(this.#scope && { scope: this.#scope }),
    });
    const { access_token: token, expires_in: seconds, error_description: why, needs } = body;
    // Another command of the job has exchanged it.
    if (needs === "identity_token" && this.provider === "GitLab") return await this.#exchangeNext();
    if (error !== undefined || typeof token !== "string" || typeof seconds !== "number")
      throw refused(why, needs === "publisher" ? nextFor(identityToken, this.#slug) : undefined);
    this.owner = ownerOf(body["owner"]);
    this.#token = token;
    this.#expiresAt = Date.now() + seconds * 1_000;
    this.#renewsAt = this.#expiresAt - renewedEarlySeconds * 1_000;
    return token;
  }
}

/** The owner, as an API says that knows it. */
function ownerOf(owner: unknown): ProjectOwner | undefined {
  const { uid, name } = (owner ?? {}) as Partial<Record<keyof ProjectOwner, unknown>>;
  return typeof uid === "string" && typeof name === "string" ? { uid, name } : undefined;
}

function nextFor(identityToken: string, slug: string): string {
  return adviceFor(identityToken, slug) ?? "Let a workflow publish that a push, a release or a person starts.";
}

function refused(why: unknown, next: string | undefined): UserError {
  const said = typeof why === "string" ? printable(why) : "The API gave no token for this job's identity.";
  return new UserError(said, { code: "job_refused", exitCode: exitCodes.denied, ...(next !== undefined && { next }) });
}
