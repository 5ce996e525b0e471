import type { ManifestFile } from "../../contract/manifest-rules.ts";
import type { Developer } from "../../test/support/actors.ts";
import { entries, holdFiles } from "../../test/support/held-files.ts";
import { newSlug, sha256, upload } from "../../test/support/publishing.ts";
import type { BenchService } from "./bench-stage.ts";
import { bucketName } from "./store-process.ts";

/** The requests of the API that a release is made with, by what of it is new. */
export const steps = [
  "open, all new",
  "go live, all new",
  "open, unchanged",
  "open, one changed",
  "go live, one changed",
] as const;
export type Step = (typeof steps)[number];

/** Sends a request as a client does, and gives its response. */
export type Send = () => Promise<{ readonly release: { readonly id: string } }>;

/** Makes a release of so many files in a new project, again as it is, and with one file changed; `observe` sends each. */
export async function releaseJourney(
  stage: BenchService,
  { count, dataFolder }: { count: number; dataFolder: string },
  observe: (step: Step, send: Send) => ReturnType<Send>,
): Promise<void> {
  const owner = await stage.actors.developer();
  const slug = newSlug();
  await owner.post("/projects", { slug });
  const post = (path: string, body?: object) => () => send(stage, owner, `/projects/${slug}/releases${path}`, body);
  const held = entries(count - 1);
  const files = [ofContent("x"), ...held];
  const { release: first } = await observe("open, all new", post("", { files }));
  await holdFiles({ dataFolder, bucketName }, slug, held);
  await uploadContent(owner, slug, first.id, "x");
  await observe("go live, all new", post(`/${first.id}/publish`));
  await observe("open, unchanged", post("", { files }));
  const { release: second } = await observe("open, one changed", post("", { files: files.with(0, ofContent("y")) }));
  await uploadContent(owner, slug, second.id, "y");
  await observe("go live, one changed", post(`/${second.id}/publish`));
}

function ofContent(content: string): ManifestFile {
  return { path: "index.html", size: content.length, sha256: sha256(content) };
}

async function uploadContent(owner: Developer, slug: string, id: string, content: string): Promise<void> {
  const { body } = await owner.post(`/projects/${slug}/releases/${id}/uploads`, { sha256: [sha256(content)] });
  const status = await upload(body.uploads[0], content);
  if (status !== 200) throw new Error(`The store answered ${status}`);
}

/** Past the actors, who hold every response against the contract: that takes longer than the response. */
async function send(stage: BenchService, { credential }: Developer, path: string, body: object = {}) {
  const response = await fetch(stage.api + path, {
    method: "POST",
    headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status} ${text}`);
  return JSON.parse(text);
}
