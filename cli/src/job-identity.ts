import { jsonIn } from "../../contract/api-error.ts";
import { isHttpsOrLocal } from "./api-url.ts";
import { exitCodes, UserError } from "./errors.ts";
import { sendWithRetries } from "./http/send.ts";

/** Source of a CI job's identity tokens. */
export interface JobIdentity {
  readonly provider: "GitHub" | "GitLab";
  /**
   * An identity token that was not used yet.
   *
   * @param audience the API's origin
   * @throws UserError if there is none any more, or the provider gives none
   */
  next(audience: string): Promise<string>;
}

/** GitLab's tokens are made before the job; each is exchanged once, so a second command and a long upload need more of them. */
const gitlabVariables = ["SVC_ID_TOKEN", ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `SVC_ID_TOKEN_${number}`)];

/** The identity of the CI job that runs this process; undefined if it has none. */
export function findJobIdentity(environment: NodeJS.ProcessEnv): JobIdentity | undefined {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = environment;
  if (url && token) return { provider: "GitHub", next: (audience) => requestIdToken({ url, token, audience }) };
  const tokens = gitlabVariables.flatMap((name) => environment[name]?.trim() || []);
  if (tokens.length === 0) return undefined;
  return {
    provider: "GitLab",
    next: async () => {
      const next = tokens.shift();
      if (next !== undefined) return next;
      throw new UserError("Every identity token of this job is used: each is exchanged once and for 15 minutes.", {
        code: "no_identity_token",
        exitCode: exitCodes.denied,
        next: "Name SVC_ID_TOKEN_2 and so on in id_tokens of .gitlab-ci.yml, one for each further command of svc and for each further 15 minutes.",
      });
    },
  };
}

/** https://docs.github.com/en/actions/reference/security/oidc, "Methods for requesting the OIDC token" */
async function requestIdToken({
  url,
  token,
  audience,
}: {
  readonly url: string;
  readonly token: string;
  readonly audience: string;
}): Promise<string> {
  const withAudience = URL.canParse(url) ? new URL(url) : undefined;
  if (withAudience === undefined || !isHttpsOrLocal(withAudience))
    throw noToken("ACTIONS_ID_TOKEN_REQUEST_URL is no https URL.", "Do not set it: the runner does. Or set SVC_TOKEN.");
  withAudience.searchParams.set("audience", audience);
  const response = await sendWithRetries({
    method: "GET",
    url: withAudience,
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    timeoutMilliseconds: 30_000,
  });
  const { status } = response;
  const { value } = (status === 200 && jsonIn(response)) || {};
  if (typeof value === "string") return value;
  const what = status === 200 ? "no identity token" : String(status);
  const isRefused = status === 401 || status === 403;
  throw noToken(
    `The token service of the CI runner, ${withAudience.origin}, responded with ${what}.`,
    isRefused
      ? "Give the job the permission id-token: write, or set SVC_TOKEN."
      : "Run the job again, or set SVC_TOKEN.",
  );
}

function noToken(message: string, next: string): UserError {
  return new UserError(message, {
    code: "no_identity_token",
    exitCode: exitCodes.denied,
    next,
  });
}
