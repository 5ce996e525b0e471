import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type * as z from "zod/mini";
import { limits } from "../../contract/api/limits.ts";
import { httpsUrl } from "../../contract/api/route.ts";
import type { discloseTokens } from "../../contract/api/tokens.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { FoundToken } from "../domain/tokens/disclosures.ts";
import { isSignedByGitHub } from "../identity/github-signature.ts";

type Disclosure = z.infer<(typeof discloseTokens)["body"]>;

const foundAt = httpsUrl(limits.urlLength);

/** The texts of a disclosure, in our form or GitHub's, whose `url` need not be a URL. */
export function foundTokens(disclosure: Disclosure): FoundToken[] {
  if (!Array.isArray(disclosure))
    return disclosure.tokens.map(({ token, found_at }) => ({ text: token, foundAt: found_at }));
  return disclosure.map(({ token, url }) => ({ text: token, foundAt: foundAt.safeParse(url).data }));
}

/**
 * Who reported the tokens, where the request proves it: GitHub signs its reports. Undefined where GitHub's keys cannot be
 * fetched, because the tokens must be revoked anyway.
 *
 * @throws ServiceError `signature_invalid`
 */
export async function reporterOf(
  headers: APIGatewayProxyEventV2["headers"],
  rawBody: Buffer,
): Promise<"github" | undefined> {
  const keyId = headers["github-public-key-identifier"];
  const signature = headers["github-public-key-signature"];
  if (keyId === undefined && signature === undefined) return undefined;
  const isWhole = keyId !== undefined && signature !== undefined;
  const verdict = isWhole && (await isSignedByGitHub(rawBody, keyId, signature));
  if (verdict === false) throw new ServiceError("signature_invalid");
  return verdict ? "github" : undefined;
}
