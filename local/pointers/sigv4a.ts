import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { SignatureV4a } from "@aws-sdk/signature-v4a";
import type { dummyCredentials } from "../credentials.ts";

/**
 * Whether a request has the signature of these credentials for all regions (IAM User Guide, "AWS Signature Version 4 for API
 * requests"): the SDK's signer, whose signatures follow from key and text (RFC 6979), signs it once more.
 */
export async function isSigned(
  { method = "", url = "/", headers }: IncomingMessage,
  body: string,
  credentials: typeof dummyCredentials,
): Promise<boolean> {
  const { authorization = "", "x-amz-date": date = "" } = headers;
  if (authorization === "" || date === "") return false;
  const signed = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(";") ?? [];
  const signer = new SignatureV4a({ credentials, region: "*", service: "cloudfront-keyvaluestore", sha256: Sha256 });
  const [path = "", query = ""] = url.split("?");
  const request = {
    method,
    protocol: "http:",
    hostname: "",
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
    body,
  };
  const again = await signer.sign(request, { signingDate: dateOf(String(date)) });
  return again.headers["authorization"] === authorization;
}

/** `20261123T001500Z`. */
function dateOf(text: string): Date {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as NodeJS.ArrayBufferView);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error("A hash is used once");
  }
}
