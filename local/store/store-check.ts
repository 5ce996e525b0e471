import { createHash, randomUUID } from "node:crypto";
import { presignedUrl } from "../../functions/files/presigned-url.ts";
import { UsageError } from "../configuration.ts";

/** A store that is not embedded. */
interface OtherStore {
  readonly endpoint: string;
  readonly bucketName: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const timeoutMilliseconds = 10_000;
const content = Buffer.from("svc looks whether this store keeps its promises");
const otherContent = Buffer.from(content.toString().toUpperCase());

/**
 * Sends invalid and valid uploads to a store that is not embedded. The service depends on its refusals: of bytes that do not
 * match the signed SHA-256 (Ceph's RGW verifies signatures and ignores that header), of a wrong signature, and of an object
 * that exists already. Leaves one small object, `svc-start-check`.
 *
 * @throws UsageError that says what the store does wrong, or that it cannot be reached
 */
export async function checkStore(store: OtherStore): Promise<void> {
  const fresh = `svc-start-check-${randomUUID()}`;
  const must = (fault: string, status: number, isRight: boolean) => {
    if (isRight) return;
    throw new UsageError(
      `The store at ${store.endpoint} ${fault} (it responded with ${status}). A release could go live with other content than its hashes: use a store that checks this, or unset S3_ENDPOINT.`,
    );
  };
  const wrongBytes = await upload(store, fresh, otherContent);
  must("does not check x-amz-checksum-sha256", wrongBytes, isRefusal(wrongBytes));
  const stranger = { ...store, credentials: { ...store.credentials, secretAccessKey: "another secret" } };
  const wrongSignature = await upload(stranger, fresh, content);
  must("does not check signatures", wrongSignature, isRefusal(wrongSignature));
  const first = await upload(store, "svc-start-check", content);
  must("refuses a right upload", first, first === 200 || first === 412);
  const again = await upload(store, "svc-start-check", content);
  must("overwrites objects in spite of If-None-Match: *", again, again === 412);
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}

/** Signs an upload of `content` but sends these bytes of the same length. */
async function upload({ endpoint, bucketName, credentials }: OtherStore, key: string, bytes: Buffer): Promise<number> {
  const headers = {
    "content-length": String(content.length),
    "if-none-match": "*",
    "x-amz-checksum-sha256": createHash("sha256").update(content).digest("base64"),
  };
  const { origin } = new URL(endpoint);
  const request = { method: "PUT", origin, path: `/${bucketName}/${key}`, headers, expiresInSeconds: 60 } as const;
  const url = presignedUrl(request, { ...credentials, region: process.env["AWS_REGION"] ?? "" }, new Date());
  const init = {
    method: "PUT",
    headers,
    body: new Uint8Array(bytes),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  };
  try {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    return response.status;
  } catch {
    throw new UsageError(`No store runs at ${endpoint}. Start it, or unset S3_ENDPOINT.`);
  }
}
