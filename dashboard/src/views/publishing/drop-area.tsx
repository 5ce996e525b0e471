import { FileArchive, FolderOpen, Upload } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { pickedByDrop, pickedByInput } from "../../publish/picked.ts";
import type { Selection } from "../../publish/protocol.ts";

interface DropAreaProps {
  readonly title: string;
  /** The page is for nothing else; or it is above a list, as wide as that. */
  readonly size?: "large" | "wide-area" | undefined;
  /** False while what was picked before is published. */
  readonly isOpen: boolean;
  readonly onPicked: (picked: Selection) => void;
}

/** Area in which a person chooses a folder or a zip, or sees that it can be dropped anywhere: {@link useDrop}. */
export function DropArea({ title, size, isOpen, onPicked }: DropAreaProps) {
  return (
    <section class={size ? `drop ${size}` : "drop"} aria-label="Publish">
      <Icon of={Upload} isLarge />
      <h2>{title}</h2>
      <p class="hint">
        {isOpen
          ? "a folder with an index.html, a zip of it, or one page"
          : "What you chose last is being published. Cancel it to choose something else."}
      </p>
      {isOpen && (
        <div class="drop-buttons">
          <FileButton label="Choose a folder" icon={FolderOpen} isFolder onPicked={onPicked} />
          <FileButton label="Choose a zip or a page" icon={FileArchive} onPicked={onPicked} />
        </div>
      )}
    </section>
  );
}

type Target = (picked: Selection) => void;
/** Undefined: the view has none; null: it takes nothing now. */
let target: Target | null | undefined;

/** Says who takes what is dropped anywhere on the page, as long as this view is shown; null: nobody. */
export function useDropTarget(take: Target | null): void {
  useEffect(() => {
    target = take;
    return () => {
      target = undefined;
    };
  });
}

/**
 * Gives what is dropped anywhere on the page to its target, unless a dialog is open: a file that nobody takes would replace the page.
 *
 * @param otherwise takes it if the view has no target
 * @returns whether something is being dragged over the page
 */
export function useDrop(otherwise: Target): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const isTaken = takerOr(otherwise) !== null;
      if (event.dataTransfer) event.dataTransfer.dropEffect = isTaken ? "copy" : "none";
      setOver(isTaken);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void pickedByDrop(event.dataTransfer).then((picked) => picked && takerOr(otherwise)?.(picked));
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  });
  return isOver;
}

/** Target of a drop now. A decision in a dialog comes first. */
function takerOr(otherwise: Target): Target | null {
  if (document.querySelector("dialog[open]") !== null) return null;
  return target === undefined ? otherwise : target;
}

interface FileButtonProps extends Pick<DropAreaProps, "onPicked"> {
  readonly label: string;
  readonly icon: typeof FolderOpen;
  readonly isFolder?: true;
}

/** A button that opens the browser's own chooser: its input cannot be styled and says "No file chosen". */
function FileButton({ label, icon, isFolder, onPicked }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = () => {
    const { current } = input;
    const picked = current?.files && pickedByInput(current.files);
    if (picked) onPicked(picked);
    // So that choosing the same one again is a change.
    if (current) current.value = "";
  };
  return (
    <>
      <Button icon={icon} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={take}
        {...(isFolder ? { webkitdirectory: true } : { accept: ".zip,application/zip,.html,.htm,.xhtml,text/html" })}
      />
    </>
  );
}
