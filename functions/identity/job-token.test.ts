import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { IdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { startIdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { githubClaims, type JobIssuers, newRepository, startJobIssuers } from "../../test/support/identity/jobs.ts";
import { duringTests } from "../../test/support/service/suite.ts";

/*
 * Identity tokens of CI jobs that are accepted, by a function that has just started.
 */
const issuers: JobIssuers = duringTests(startJobIssuers);
/** Keys that the stage does not know. */
const evil: IdentityProvider = duringTests(() => startIdentityProvider());
const audience = "https://api.example";
const repository = newRepository();
let verify: typeof import("./job-token.ts").verifyJobToken;

beforeAll(() => {
  Object.assign(process.env, issuers.env);
});
beforeEach(async () => {
  jest.resetModules();
  ({ verifyJobToken: verify } = await import("./job-token.ts"));
});
afterEach(() => issuers.github.respondWith(undefined));

type Changes = Readonly<Record<string, unknown>>;
const claimsWith = (changes: Changes = {}): Changes => ({ aud: audience, ...githubClaims(repository, changes) });
const githubJob = (changes?: Changes) => issuers.github.idToken({ claims: claimsWith(changes) });

/** The reason for which a token is refused, or that it was accepted. */
function refusal(jwt: string): Promise<string> {
  return verify(jwt, audience).then(
    () => "accepted",
    ({ code, detail }: { code: string; detail: string }) => `${code}: ${detail}`,
  );
}

test("a job's identity token is its provider, issuer, claims, id and expiry", async () => {
  const claims = claimsWith();
  expect(await verify(issuers.github.idToken({ claims }), audience)).toEqual({
    provider: "github",
    issuer: issuers.github.issuer,
    id: claims["jti"],
    expiresAt: claims["exp"],
    claims: expect.objectContaining({ repository_id: repository.id }),
  });
  expect(await verify(issuers.gitlab.idToken({ claims }), audience)).toMatchObject({ provider: "gitlab" });
});

describe("an identity token is refused", () => {
  test.each([
    ["the audience of another stage", "https://api.other.example"],
    ["several audiences", [audience, "https://evil.example"]],
    ["GitHub's default audience", "https://github.com/ada"],
    ["no audience", undefined],
  ])("with %s", async (_, aud) => {
    expect(await refusal(githubJob({ aud }))).toContain(`invalid_request: The job's identity token is refused: aud: `);
  });

  test.each(["jti", "exp", "iat"])("without %s", async (claim) => {
    expect(await refusal(githubJob({ [claim]: undefined }))).toContain(`refused: ${claim}: missing`);
  });

  test("of an issuer that looks alike, or of any other, whatever keys it names", async () => {
    const { issuer } = issuers.github;
    for (const iss of [evil.issuer, `${issuer}/`, issuer.replace("127.0.0.1", "localhost"), undefined]) {
      const header = { jku: evil.jwksUri, x5u: evil.jwksUri };
      expect(await refusal(evil.idToken({ claims: claimsWith({ iss }), header }))).toContain("refused: iss: ");
    }
    expect([evil.keyRequests, evil.discoveries]).toEqual([0, 0]);
  });

  test("of keys that are not the issuer's, and of other algorithms", async () => {
    const claims = claimsWith({ iss: issuers.github.issuer });
    expect(await refusal(evil.idToken({ claims }))).toContain("refused: kid: ");
    expect(await refusal(issuers.github.confusedToken(claims))).toContain("refused: alg: ");
    expect(await refusal(`${issuers.github.unsignedToken(claims)}x`)).toContain("refused: alg: ");
    expect(await refusal("no token")).toContain("refused: no JSON Web Token");
  });

  test("of another time than now, if the clocks differ by more than a minute", async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect(await refusal(githubJob({ iat: now + 50, nbf: now + 50 }))).toBe("accepted");
    expect(await refusal(githubJob({ exp: now - 50 }))).toBe("accepted");
    expect(await refusal(githubJob({ iat: now + 90 }))).toContain("refused: iat: ");
    expect(await refusal(githubJob({ nbf: now + 90 }))).toContain("refused: nbf: ");
    expect(await refusal(githubJob({ exp: now - 90 }))).toContain("refused: exp: ");
  });
});

test.each([
  ["a day and a minute", (iat: number) => iat + 86_460],
  ["longer than numbers are exact", () => 2 ** 53 + 2],
  ["for ever", () => 1e300],
])("an identity token that is valid for %s is refused", async (_, expiry) => {
  const iat = Math.floor(Date.now() / 1_000);
  expect(await refusal(githubJob({ iat, exp: expiry(iat) }))).toContain("refused: exp: longer than a day after iat");
  expect(await refusal(githubJob({ iat, exp: iat + 86_400 }))).toBe("accepted");
});

test("an issuer that changes its keys is asked again", async () => {
  expect(await refusal(githubJob())).toBe("accepted");
  issuers.github.rotate();
  expect(await refusal(githubJob())).toBe("accepted");
});

test("an issuer that is down is not the job's fault, and its kept keys go on", async () => {
  const kept = githubJob();
  expect(await refusal(kept)).toBe("accepted");
  issuers.github.respondWith((response) => response.writeHead(500).end());
  expect(await refusal(kept)).toBe("accepted");
  issuers.github.rotate();
  expect(await refusal(githubJob())).toContain("identity_provider_unavailable: ");
});
