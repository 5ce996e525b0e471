import { bytesInWords, counted } from "../../format.ts";
import { Copy } from "../../parts/copy.tsx";
import type { Project } from "../../resources.ts";

/** A project's address, what it stores, and where its statistics and profiles are. */
export function FactsLine({ project: { slug, storage } }: { project: Project }) {
  return (
    <p class="meta facts-line">
      <Copy text={slug} label="the address" inline />
      {storage && (
        <span>
          stores {bytesInWords(storage.bytes)} in {counted(storage.objects, "file")}
        </span>
      )}
      <a href={`/projects/${slug}/statistics`}>How it is played</a>
      <a href={`/projects/${slug}/profiles`}>Profiles</a>
    </p>
  );
}
