import { Button } from "./button.tsx";
import { useSubmission } from "./form.ts";
import { Problem } from "./notice.tsx";

interface ShareButtonProps {
  readonly url: string;
  /** What apps call it that the person gives it to. */
  readonly title: string;
}

/** A button for the browser's own sheet, by which a URL goes to another app; nothing in a browser without one. */
export function ShareButton({ url, title }: ShareButtonProps) {
  const submission = useSubmission();
  if (!("share" in navigator)) return null;
  const share = async () => {
    await navigator.share({ title, url }).catch((error: unknown) => {
      // The person has closed the sheet.
      if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    });
  };
  return (
    <>
      <Button onClick={() => submission.run(share)}>Share…</Button>
      <Problem of={submission} />
    </>
  );
}
