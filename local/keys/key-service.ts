import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { AmazonError, startAmazonServer } from "../amazon-server.ts";
import { keptSecret } from "../kept-secret.ts";
import type { Part } from "../part.ts";

/*
 * KMS as far as the service uses it: Sign and GetPublicKey of one key of the type ECC_NIST_P256, by the SDK's own requests (AWS KMS
 * API Reference).
 */

/** A running key service with the ARN of its key. */
export interface KeyService extends Part {
  readonly keyArn: string;
}

interface SignRequest {
  readonly KeyId: string;
  readonly Message: string;
  readonly MessageType: string;
  readonly SigningAlgorithm: string;
}

type PrivateJwk = JsonWebKey & { readonly kid: string };

/**
 * Starts the service on a free port.
 *
 * @param dataFolder the folder of its key, so that attestations stay valid after a restart; undefined: a new key
 */
export async function startKeyService(dataFolder: string | undefined): Promise<KeyService> {
  const jwk = await keptSecret(dataFolder, "attestation-key.json", newKey);
  const keyArn = `arn:aws:kms:eu-central-1:000000000000:key/${jwk.kid}`;
  const server = await startAmazonServer(async (request) => {
    const body = (await json(request)) as SignRequest;
    if (body.KeyId !== keyArn) throw new AmazonError("NotFoundException", 400, `Key '${body.KeyId}' does not exist`);
    return { body: { KeyId: keyArn, ...(await operationOf(request)(jwk, body)) } };
  });
  return { ...server, keyArn };
}

async function newKey(): Promise<PrivateJwk> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), kid: randomUUID() };
}

type Operation = (jwk: PrivateJwk, request: SignRequest) => object | Promise<object>;

const operations: Readonly<Record<string, Operation>> = {
  "TrentService.Sign": sign,
  "TrentService.GetPublicKey": getPublicKey,
};

/** @throws AmazonError for another operation */
function operationOf({ headers }: IncomingMessage): Operation {
  const operation = operations[String(headers["x-amz-target"])];
  if (operation === undefined) throw new AmazonError("UnknownOperationException", 400, "There is no such operation");
  return operation;
}

/** Node signs no digest, so noble does, which no start has to wait for. */
async function sign({ d = "" }: PrivateJwk, { Message, MessageType, SigningAlgorithm }: SignRequest): Promise<object> {
  const digest = Buffer.from(Message, "base64");
  if (MessageType !== "DIGEST" || SigningAlgorithm !== "ECDSA_SHA_256" || digest.length !== 32)
    throw new AmazonError("ValidationException", 400, "Only a SHA-256 is signed here, by ECDSA_SHA_256");
  const { p256 } = await import("@noble/curves/nist.js");
  const signature = p256.sign(digest, Buffer.from(d, "base64url"), { prehash: false, lowS: false, format: "der" });
  return { Signature: Buffer.from(signature).toString("base64"), SigningAlgorithm };
}

function getPublicKey(jwk: PrivateJwk): object {
  const publicKey = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" }));
  return {
    PublicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    KeySpec: "ECC_NIST_P256",
    CustomerMasterKeySpec: "ECC_NIST_P256",
    KeyUsage: "SIGN_VERIFY",
    SigningAlgorithms: ["ECDSA_SHA_256"],
  };
}
