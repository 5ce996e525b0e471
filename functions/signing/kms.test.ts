import { createHash, createPublicKey, verify } from "node:crypto";
import { json } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../local/credentials.ts";
import { startKeyService } from "../../local/keys/key-service.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { duringTests } from "../../test/support/service/suite.ts";
import { readPublicKeys, signDigest, signingKeyId } from "./kms.ts";

/*
 * The requests as KMS gets them, and its responses as the AWS KMS API Reference has them.
 */
const local = duringTests(() => startKeyService(undefined));
const received: { headers: NodeJS.Dict<string | string[]>; body: object }[] = [];
let failure: { status: number; name: string } | undefined;

/** Passes requests on to the local service, or fails. */
const kms = duringTests(() =>
  startHttpServer(async (request, response) => {
    const body = (await json(request)) as object;
    received.push({ headers: request.headers, body });
    if (failure) {
      response.writeHead(failure.status, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify({ __type: failure.name, message: "no" }));
      return;
    }
    const target = String(request.headers["x-amz-target"]);
    const passed = await fetch(local.endpoint, {
      method: "POST",
      headers: { "x-amz-target": target },
      body: JSON.stringify(body),
    });
    response.writeHead(passed.status, { "x-amzn-errortype": passed.headers.get("x-amzn-errortype") ?? "" });
    response.end(await passed.text());
  }),
);

beforeEach(() => {
  failure = undefined;
  received.length = 0;
  Object.assign(process.env, {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    KMS_ENDPOINT: kms.endpoint,
    ATTESTATION_KEY_ARNS: local.keyArn,
  });
});

const digest = createHash("sha256").update("hello").digest();

test("Sign gets the last key's ARN and the digest, and its DER signature verifies by the key of GetPublicKey", async () => {
  process.env["ATTESTATION_KEY_ARNS"] = `arn:aws:kms:eu-central-1:000000000000:key/earlier,${local.keyArn}`;
  const signature = await signDigest(digest);
  expect(received).toEqual([
    {
      headers: expect.objectContaining({
        "x-amz-target": "TrentService.Sign",
        "content-type": "application/x-amz-json-1.1",
        authorization: expect.stringContaining("/eu-central-1/kms/aws4_request"),
      }),
      body: {
        KeyId: local.keyArn,
        Message: digest.toString("base64"),
        MessageType: "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256",
      },
    },
  ]);
  process.env["ATTESTATION_KEY_ARNS"] = local.keyArn;
  const [key] = await readPublicKeys();
  expect(received[1]).toMatchObject({
    headers: { "x-amz-target": "TrentService.GetPublicKey" },
    body: { KeyId: local.keyArn },
  });
  expect(key?.id).toBe(signingKeyId());
  const publicKey = createPublicKey({ key: { ...key?.jwk }, format: "jwk" });
  expect(verify("sha256", Buffer.from("hello"), publicKey, signature)).toBe(true);
});

describe("503 is what a caller gets if KMS", () => {
  test.each([
    ["throttles", 400, "ThrottlingException"],
    ["fails", 500, "KMSInternalException"],
    ["has the key disabled", 400, "DisabledException"],
    ["denies", 400, "AccessDeniedException"],
  ])("%s", async (_, status, name) => {
    failure = { status, name };
    await expect(signDigest(digest)).rejects.toMatchObject({ code: "temporarily_unavailable" });
    await expect(readPublicKeys()).rejects.toMatchObject({ code: "temporarily_unavailable" });
  });
});
