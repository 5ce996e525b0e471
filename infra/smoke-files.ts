import { createHash } from "node:crypto";

/*
 * The part of the smoke test that publishes: a fixed folder to a permanent project of the token's owner. After the first time
 * nothing is uploaded. It uses the real bucket like every publication: presigned URLs at its own host, the session token in
 * signatures, lists with a prefix, a packed manifest, CORS.
 */

/** Created once by the token's owner (docs/operations/deploying.md). */
export const smokeProject = "svc-smoke";

/** Sends a request to the API with the token. */
export type Send = (
  method: string,
  path: string,
  options?: { body?: object },
  // biome-ignore lint/suspicious/noExplicitAny: checked where it is read
) => Promise<{ status: number; body: any }>;

export interface SmokeApi {
  readonly api: string;
  readonly send: Send;
}

/** A page, which the API serves itself, a file that it redirects to the bucket, and a path with special characters. */
export const folder: Readonly<Record<string, Buffer>> = {
  "index.html": Buffer.from("<!doctype html><title>smoke</title>"),
  "data.bin": Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  "a+b;c/d e.js": Buffer.from("export default 1;"),
};

/** Nobody has bytes of this hash, so an upload to it can never succeed. */
const neverUploaded = "5eed".repeat(16);

export const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const releases = `/projects/${smokeProject}/releases`;

/** @returns what is wrong; undefined: the folder is live */
export async function publishFolder({ send }: SmokeApi): Promise<string | undefined> {
  const files = Object.entries(folder).map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes) }));
  const opened = await send("POST", releases, { body: { files } });
  if (opened.body?.code === "project_not_found")
    return `the token's owner has no project ${smokeProject}: create it once with \`svc projects create ${smokeProject}\` and a token with the scope projects`;
  if (![200, 201].includes(opened.status)) return `opening a release: ${described(opened)}`;
  const { release, missing } = opened.body;
  if (missing.length > 0) {
    const { status, body } = await send("POST", `${releases}/${release.id}/uploads`, { body: { sha256: missing } });
    if (status !== 200) return `asking for upload URLs: ${described({ status, body })}`;
    for (const upload of body.uploads) {
      const bytes = Object.values(folder).find((content) => sha256(content) === upload.sha256) ?? Buffer.of();
      const sent = await put(upload, bytes);
      if (sent !== 200 && sent !== 412) return `the bucket responded with ${sent} to an upload`;
    }
  }
  const published = await send("POST", `${releases}/${release.id}/publish`);
  return published.status === 200 ? undefined : `publishing: ${described(published)}`;
}

/** Uploads bytes of the same length whose SHA-256 is not the signed one. */
export async function uploadWrongBytes({ send }: SmokeApi): Promise<string | undefined> {
  const files = [{ path: "never.bin", size: 4, sha256: neverUploaded }];
  const opened = await send("POST", releases, { body: { files } });
  if (opened.body?.missing?.length !== 1) return `opening a release: ${described(opened)}`;
  const path = `${releases}/${opened.body.release.id}/uploads`;
  const { status, body } = await send("POST", path, { body: { sha256: [neverUploaded] } });
  if (status !== 200) return `asking for an upload URL: ${described({ status, body })}`;
  const sent = await put(body.uploads[0], Buffer.from("evil"));
  return sent === 400 ? undefined : `the bucket responded with ${sent} to bytes with another SHA-256`;
}

/** The page, the redirected file whole and in part, and the path with `+`, `;` and a space, as a page of an opaque origin reads them. */
export async function readFolder({ api }: SmokeApi): Promise<string | undefined> {
  for (const [path, bytes] of Object.entries(folder)) {
    const response = await read(api, path);
    if (response.status !== 200) return `${path}: ${response.status}`;
    if (!Buffer.from(await response.arrayBuffer()).equals(bytes)) return `${path} has other bytes`;
    if (response.headers.get("access-control-allow-origin") !== "*") return `${path}: no page may read it`;
  }
  const part = await read(api, "data.bin", { range: "bytes=3-5" });
  const bytes = Buffer.from(await part.arrayBuffer());
  return part.status === 206 && bytes.equals(Buffer.of(3, 4, 5)) ? undefined : `a range of data.bin: ${part.status}`;
}

/** Paths that API Gateway, the function or the bucket could confuse with others. */
export async function readOddPaths({ api }: SmokeApi): Promise<string | undefined> {
  for (const path of ["/index.html", "index.html/", "a+b;c//d e.js", "data.bin/", "%00"]) {
    const response = await read(api, path);
    await response.arrayBuffer();
    if (response.status !== 404) return `${JSON.stringify(path)} responded with ${response.status}`;
  }
  return undefined;
}

function read(api: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const encoded = path.split("/").map((segment) => (segment === "%00" ? segment : encodeURIComponent(segment)));
  const url = `${api}/projects/${smokeProject}/files/${encoded.join("/")}`;
  return fetch(url, { headers: { origin: "null", ...headers }, signal: AbortSignal.timeout(15_000) });
}

async function put(upload: { url: string; headers: Record<string, string> }, bytes: Buffer): Promise<number> {
  const init = { method: "PUT", headers: upload.headers, body: new Uint8Array(bytes) };
  const response = await fetch(upload.url, { ...init, signal: AbortSignal.timeout(15_000) });
  await response.arrayBuffer();
  return response.status;
}

function described({ status, body }: { status: number; body?: { code?: string; request_id?: string } }): string {
  return `the response was ${status} ${body?.code ?? ""} ${body?.request_id ?? ""}`.trim();
}
