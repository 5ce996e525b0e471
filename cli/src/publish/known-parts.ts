import type { Client } from "../../../contract/client.ts";
import { sendWithRetries } from "../http/send.ts";
import { checkUploadUrl } from "./upload-url.ts";

const timeoutMilliseconds = 10_000;

/** Reads an index from the URL that the API gives. @throws UserError or NetworkError if it cannot be read */
export async function readIndex(given: string, { api }: Client): Promise<Uint8Array> {
  const { url } = checkUploadUrl({ url: given, headers: {} }, api);
  const { status, bytes } = await sendWithRetries({ method: "GET", url, headers: {}, timeoutMilliseconds });
  return status === 200 ? bytes : new Uint8Array();
}
