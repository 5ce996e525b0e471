import { zstdDecompressSync } from "node:zlib";
import { presignedUrl } from "../../../functions/files/presigned-url.ts";
import { keys } from "../../../functions/table/keys.ts";
import { awsAccess } from "../service/aws-access.ts";
import type { TestService } from "../service/service.ts";
import { itemsOf } from "./stored.ts";

/** Everything that is stored of a project but its history: its items by sort key, and the keys of its objects. */
export interface StoredProject {
  readonly items: Readonly<Record<string, Record<string, unknown>>>;
  readonly objects: readonly string[];
}

export async function storedProject(service: TestService, slug: string): Promise<StoredProject> {
  const items = await itemsOf(service, keys.project(slug).PK);
  return {
    items: Object.fromEntries(
      items.filter(({ SK }) => !String(SK).startsWith("EVENT#")).map(({ PK, SK, ...item }) => [SK, item]),
    ),
    objects: (await storedObjects(service, `projects/${slug}/`)).map((key) => key.slice(`projects/${slug}/`.length)),
  };
}

/** The keys of the first 1,000 objects whose key begins so. */
async function storedObjects(service: TestService, prefix: string): Promise<string[]> {
  const xml = await (await getFromStore(service, "", { "list-type": "2", prefix })).text();
  return [...xml.matchAll(/<Key>([^<]*)</g)].map(([, key = ""]) => key);
}

/** The bytes of a project's file. */
export async function storedFile(service: TestService, slug: string, sha256: string): Promise<Buffer> {
  return Buffer.from(await (await getFromStore(service, `/projects/${slug}/files/${sha256}`)).arrayBuffer());
}

/** The manifests of a project as text: a line for each file of each release that was ever opened. */
export async function storedManifests(service: TestService, slug: string): Promise<string[]> {
  const manifests = await storedObjects(service, `projects/${slug}/manifests/`);
  return await Promise.all(
    manifests.map(async (key) => {
      const packed = await (await getFromStore(service, `/${key}`)).arrayBuffer();
      return zstdDecompressSync(packed).toString();
    }),
  );
}

/** Deletes an object as the sweeper does. */
export async function deleteObject(service: TestService, key: string): Promise<void> {
  const { status } = await sendToStore(service, "DELETE", `/${key}`);
  if (status !== 204) throw new Error(`The store responded with ${status}`);
}

function getFromStore(service: TestService, path: string, query?: Record<string, string>) {
  return sendToStore(service, "GET", path, query);
}

function sendToStore(
  { s3Endpoint, bucketName }: TestService,
  method: "DELETE" | "GET",
  path: string,
  query?: Record<string, string>,
) {
  const request = { method, origin: s3Endpoint, path: `/${bucketName}${path}`, expiresInSeconds: 60 } as const;
  const signer = { ...awsAccess.credentials, region: awsAccess.region };
  return fetch(presignedUrl({ ...request, ...(query && { query }) }, signer, new Date()), { method });
}
