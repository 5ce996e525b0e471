import { Download } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { saveFile } from "../../parts/save.ts";
import { Reader } from "../../publish/reader.ts";
import { packRelease } from "../../publish/release-download.ts";
import type { Release } from "../../resources.ts";

/**
 * Downloads the files of a release as a zip, which a worker of the page makes: each file is checked by its hash. Nobody tells when the
 * browser has copied the zip, so the worker keeps it until the tab is closed or another one is made.
 */
export function ReleaseDownload({ slug, release }: { slug: string; release: Release }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const [bytes, setBytes] = useState(0);
  const [unchecked, setUnchecked] = useState<readonly string[]>([]);
  const reader = useRef<Reader>(undefined);
  const isPacking = useRef(false);
  const stop = () => reader.current?.close();
  useEffect(() => () => void (isPacking.current && stop()), []);
  const download = () =>
    submission.run(async () => {
      stop();
      setBytes(0);
      setUnchecked([]);
      const packing = new Reader();
      isPacking.current = true;
      reader.current = packing;
      try {
        const zip = await packRelease({ client: api, reader: packing, slug, release, onBytes: setBytes });
        saveFile(zip.blob, nameOf(slug, release));
        setUnchecked(zip.unchecked);
      } catch (error) {
        packing.close();
        if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
      } finally {
        isPacking.current = false;
      }
    });
  const percent = Math.floor((100 * bytes) / Math.max(1, release.bytes));
  return (
    <div class="row-actions">
      <Button icon={Download} busy={submission.busy} doing={`Downloading… ${percent} %`} onClick={download}>
        Download as zip
      </Button>
      {submission.busy && (
        <Button kind="quiet" onClick={stop}>
          Cancel
        </Button>
      )}
      <Problem of={submission} />
      {unchecked.length > 0 && (
        <p class="hint">
          Not checked, because the program that published them cut them in its own way: {unchecked.join(", ")}
        </p>
      )}
    </div>
  );
}

function nameOf(slug: string, { number, id }: Release): string {
  return `${slug}-${number ?? id}.zip`;
}
