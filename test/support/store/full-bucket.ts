import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Manifest } from "../../../functions/files/manifests.ts";
import { fileKey, manifestKey } from "../../../functions/files/object-keys.ts";
import type { Part } from "../../../local/part.ts";

/**
 * A project's objects: this many releases with this many different files each, and this many files that no release
 * names.
 */
export interface Contents {
  readonly slug: string;
  readonly releases: number;
  readonly filesEach: number;
  readonly unreferenced: number;
}

/** The requests to a bucket since it was started, and its content. */
export interface BucketState {
  readonly lists: number;
  readonly reads: number;
  readonly deletions: number;
  /** Files that no release names and that are still there. */
  readonly unreferenced: number;
  /** Files that a release names and that were deleted. */
  readonly lost: number;
}

/**
 * A bucket in memory that is full when it starts: GET, DELETE, ListObjectsV2, and no unfinished uploads. It checks no signature, and a file's
 * content is never requested. It is a process of its own, so that its memory is not the sweeper's.
 */
export interface FullBucket extends Part {
  /** The digests of the releases' manifests. */
  readonly manifests: readonly string[];
  state(): Promise<BucketState>;
}

export async function startFullBucket(contents: Contents): Promise<FullBucket> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(contents)]);
  const [{ endpoint, manifests }] = await once(child, "message");
  return {
    endpoint,
    manifests,
    state: async () => {
      child.send("state");
      const [state] = await once(child, "message");
      return state;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

class Bucket {
  readonly #manifests = new Map<string, Buffer>();
  #files: readonly string[] = [];
  readonly #needed = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly digests: string[] = [];
  lists = 0;
  reads = 0;

  async fill({ slug, releases, filesEach, unreferenced }: Contents): Promise<void> {
    for (let release = 0; release < releases; release += 1) {
      const files = Array.from({ length: filesEach }, (_, index) => ({
        path: `assets/${index}.bin`,
        size: 1_000,
        sha256: sha256(`${release}/${index}`),
      }));
      for (const file of files) this.#needed.add(fileKey(slug, file.sha256));
      const manifest = Manifest.of(files);
      this.digests.push(manifest.digest);
      this.#manifests.set(manifestKey(slug, manifest.digest), await manifest.pack());
    }
    const others = Array.from({ length: unreferenced }, (_, index) => fileKey(slug, sha256(`unreferenced ${index}`)));
    this.#files = [...this.#needed, ...others].sort();
  }

  state(): BucketState {
    const lost = [...this.#deleted].filter((key) => this.#needed.has(key)).length;
    const unreferenced = this.#files.length - this.#needed.size - this.#deleted.size + lost;
    return { lists: this.lists, reads: this.reads, deletions: this.#deleted.size, unreferenced, lost };
  }

  respond({ method, url = "" }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, "http://bucket");
    const key = pathname.split("/").slice(2).join("/");
    if (method === "DELETE") {
      this.#deleted.add(key);
      response.writeHead(204).end();
    } else if (searchParams.has("uploads")) {
      response.end("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>");
    } else if (searchParams.has("list-type")) {
      this.lists += 1;
      response.end(this.#list(searchParams));
    } else {
      this.reads += 1;
      response.writeHead(this.#manifests.has(key) ? 200 : 404).end(this.#manifests.get(key));
    }
  }

  #list(query: URLSearchParams): string {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("start-after") ?? "";
    const most = Number(query.get("max-keys"));
    const names = prefix.endsWith("manifests/") ? [...this.#manifests.keys()].sort() : this.#files;
    const page: string[] = [];
    for (let index = firstAfter(names, after); index < names.length && page.length <= most; index += 1) {
      const name = names[index] as string;
      if (!name.startsWith(prefix)) break;
      if (!this.#deleted.has(name)) page.push(name);
    }
    const contents = page.slice(0, most).map((name) => `<Contents><Key>${name}</Key><Size>1000</Size></Contents>`);
    return `<ListBucketResult><IsTruncated>${page.length > most}</IsTruncated>${contents.join("")}</ListBucketResult>`;
  }
}

/** The index of the first of these sorted names that follows another. */
function firstAfter(names: readonly string[], after: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] as string) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

if (import.meta.main) {
  const contents = JSON.parse(process.argv[2] ?? "") as Contents;
  const bucket = new Bucket();
  await bucket.fill(contents);
  const server = createServer((request, response) => bucket.respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.on("message", () => process.send?.(bucket.state()));
  process.once("disconnect", () => process.exit());
  process.send?.({ endpoint, manifests: bucket.digests });
}
