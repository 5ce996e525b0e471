import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { pickedByDrop, pickedByInput } from "../../publish/picked.ts";
import type { Selection } from "../../publish/protocol.ts";

interface DropAreaProps {
  readonly title: string;
  /** The page is for nothing else. */
  readonly isLarge?: true;
  /** False while what was picked before is published. */
  readonly isOpen: boolean;
  readonly onPicked: (picked: Selection | undefined) => void;
}

/** Where a person drops a folder or a zip, or chooses one by a button. */
export function DropArea({ title, isLarge, isOpen, onPicked }: DropAreaProps) {
  const isOver = useDrop(isOpen, onPicked);
  return (
    <section class={`drop${isLarge ? " large" : ""}${isOver ? " over" : ""}`} aria-label="Publish">
      <div class="row-main">
        <h2>{title}</h2>
        <p class="hint">
          {isOpen
            ? "Drop the folder that holds your game’s index.html here, a zip of it, or a game that is one page. Or choose it."
            : "What you chose last is being published. Cancel it to choose something else."}
        </p>
      </div>
      {isOpen && (
        <div class="row-side">
          <FileButton label="Choose a folder" isFolder onPicked={onPicked} />
          <FileButton label="Choose a zip or a page" onPicked={onPicked} />
        </div>
      )}
    </section>
  );
}

/**
 * Takes what is dropped anywhere on the page: a file that misses the area would replace the page.
 *
 * @returns whether something is being dragged over the page
 */
function useDrop(isOpen: boolean, onPicked: (picked: Selection | undefined) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = isOpen ? "copy" : "none";
      setOver(isOpen);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      if (isOpen) void pickedByDrop(event.dataTransfer).then(onPicked);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [isOpen]);
  return isOver;
}

interface FileButtonProps {
  readonly label: string;
  readonly isFolder?: true;
  readonly onPicked: (picked: Selection | undefined) => void;
}

/** A button that opens the browser's own chooser: its input cannot be styled and says "No file chosen". */
function FileButton({ label, isFolder, onPicked }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = () => {
    const { current } = input;
    if (!current?.files) return;
    onPicked(pickedByInput(current.files));
    // So that choosing the same one again is a change.
    current.value = "";
  };
  return (
    <>
      <Button onClick={() => input.current?.click()}>{label}</Button>
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
