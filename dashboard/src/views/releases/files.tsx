import { File, Folder, FolderOpen } from "lucide";
import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useList } from "../../parts/list.tsx";
import { Notice } from "../../parts/notice.tsx";
import { type Entry, filesIn } from "./release-reads.ts";

interface ReleaseFilesProps {
  readonly slug: string;
  readonly id: string;
  /** The URL at which players get a file; undefined: nobody plays the release. */
  readonly urlOf: ((path: string) => string) | undefined;
}

/** The files of a release, folded by folder. What is in a folder is read when it is opened, page by page: a release has up to 20,000. */
export function ReleaseFiles(props: ReleaseFilesProps) {
  return <InFolder folder="" {...props} />;
}

interface InFolderProps extends ReleaseFilesProps {
  /** Its path, which ends with a slash; empty: the folder that all is in. */
  readonly folder: string;
}

function InFolder({ folder, ...rest }: InFolderProps) {
  const { api } = useDashboard();
  const { slug, id, urlOf } = rest;
  const list = useList(`files of ${id} in ${folder}`, (cursor) => filesIn(api, { slug, id, folder }, cursor));
  const nameOf = ({ path }: Entry) => path.slice(folder.length);
  return (
    <>
      {list.problem && (
        <Notice kind="problem">
          <p>{list.problem}</p>
          <Button onClick={() => list.reload()}>Try again</Button>
        </Notice>
      )}
      {list.items === undefined && !list.problem && <p class="hint">Loading…</p>}
      <ul class="files">
        {list.items?.map((entry) => (
          <li key={entry.path}>
            {"size" in entry ? (
              <div class="file">
                <Icon of={File} />
                <bdi>{urlOf ? <FileLink url={urlOf(entry.path)} name={nameOf(entry)} /> : nameOf(entry)}</bdi>
                <span class="meta">{bytesInWords(entry.size)}</span>
              </div>
            ) : (
              <FolderEntry name={nameOf(entry)} of={entry} {...rest} />
            )}
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button busy={list.busy} doing="Loading more…" onClick={() => list.more()}>
          Show more
        </Button>
      )}
    </>
  );
}

function FileLink({ url, name }: { url: string; name: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}

interface FolderEntryProps extends ReleaseFilesProps {
  readonly name: string;
  readonly of: Extract<Entry, { files: number }>;
}

function FolderEntry({ name, of: { path, files, bytes }, ...rest }: FolderEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const toggle = ({ currentTarget: { open } }: { currentTarget: HTMLDetailsElement }) => {
    setOpen(open);
    if (open) setOpened(true);
  };
  return (
    <details onToggle={toggle}>
      <summary class="file">
        <Icon of={isOpen ? FolderOpen : Folder} />
        <bdi>{name}</bdi>
        <span class="meta">
          {counted(files, "file")}, {bytesInWords(bytes)}
        </span>
      </summary>
      {wasOpened && <InFolder folder={path} {...rest} />}
    </details>
  );
}
