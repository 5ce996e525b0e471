import type { JobScope } from "../../../contract/api/projects/ci-jobs.ts";
import { ApiError } from "../../../contract/api-error.ts";
import { withRetries } from "../../../contract/retries.ts";
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

  /** Each try has an identity token that was not sent yet, if the provider makes them: of the one before nobody knows whether it is spent. */
  async #exchangeNext(): Promise<string> {
    let identityToken: string | undefined;
    const attempt = async () => {
      if (this.provider === "GitHub") identityToken = undefined;
      identityToken ??= await this.#identity.next(this.#api.origin);
      return await this.#exchange(identityToken);
    };
    // While there is a token, nobody waits for the next one.
    return await withRetries(attempt, { tries: this.#token === undefined ? 5 : 1 });
  }

  async #exchange(identityToken: string): Promise<string> {
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: identityToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      resource: `${this.#api.origin}/projects/${this.#slug}`,
      ...(this.#owner !== undefined && { owner: this.#owner }),
      ...(this.#scope && { scope: this.#scope }),
    };
    const { status, body, error } = await postForm(new URL("oauth/token", this.#api), form, 1);
    const { access_token: token, expires_in: seconds, error_description: why, needs } = body;
    if (status >= 500) throw new ApiError({ code: "temporarily_unavailable", detail: String(why ?? error), status });
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
