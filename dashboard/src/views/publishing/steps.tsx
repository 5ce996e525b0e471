import { useEffect, useRef, useState } from "preact/hooks";
import type { Amount } from "../../../../publisher/upload-release.ts";
import { bytesInWords, counted, durationInWords, fileUrl } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { secondsLeft } from "../../publish/pace.ts";
import type { PreparedFolder, Reading } from "../../publish/protocol.ts";
import type { ComparedRelease, Publication } from "../../publish/publication.ts";
import { Share } from "../share.tsx";

/* Steps of a publication, as they are shown. */

export interface ReadingState {
  readonly reading?: Reading;
}

export interface SendingState {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Undefined until it is known. */
  readonly bytesPerSecond?: number | undefined;
  readonly isOffline: boolean;
  /** Host of the store, if the store does not respond. */
  readonly host?: string | undefined;
}

/** A publication, and what it would change, as the person saw it. */
export interface Review {
  readonly publication: Publication;
  /** Undefined for a new game, which has nothing to be compared with. */
  readonly opened: ComparedRelease | undefined;
}

export type ComparedReview = Review & { readonly opened: ComparedRelease };

/** Result of a publication. */
interface Outcome {
  readonly url: string | null;
  readonly id: string;
  readonly amount: Amount;
  readonly reviewed: ComparedReview;
}

export type Step =
  | ({ readonly kind: "reading" } & ReadingState)
  | { readonly kind: "review"; readonly reviewed: Review }
  | ({ readonly kind: "sending" } & SendingState)
  | ({ readonly kind: "live" | "preview" } & Outcome);

interface ReadingStepProps {
  readonly state: ReadingState;
  /** A problem stopped it. */
  readonly isOver: boolean;
  readonly onClose: () => void;
}

export function ReadingStep({ state, isOver, onClose }: ReadingStepProps) {
  return (
    <>
      {!isOver && <ReadingProgress state={state} />}
      <div class="actions">
        <Button onClick={onClose}>{isOver ? "Close" : "Cancel"}</Button>
      </div>
    </>
  );
}

export function ReadingProgress({ state: { reading } }: { state: ReadingState }) {
  return (
    <Progress
      label={reading?.step === "compressing" ? "Compressing what players load…" : "Reading the files…"}
      value={reading?.bytes ?? 0}
      of={reading?.totalBytes ?? 0}
      detail={reading && `${counted(reading.totalFiles, "file")}, ${bytesInWords(reading.totalBytes)}`}
    />
  );
}

interface SendingStepProps {
  readonly state: SendingState;
  readonly onHide: () => void;
  readonly onCancel: () => void;
}

export function SendingStep({ state, onHide, onCancel }: SendingStepProps) {
  return (
    <>
      <SendingProgress state={state} />
      {state.isOffline && state.host && <Unreachable host={state.host} />}
      <p class="hint">
        It goes on while you look at other pages here. If this tab is closed, choose the same files again: what is sent
        is kept.
      </p>
      <div class="actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button onClick={onHide}>Go on in the background</Button>
      </div>
    </>
  );
}

const patienceMilliseconds = 30_000;

/** A lost network comes back by itself; what keeps this page alone from the store does not. */
function Unreachable({ host }: { host: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setLong, patienceMilliseconds, true);
    return () => clearTimeout(timer);
  }, [host]);
  if (!isLong) return null;
  return (
    <Notice kind="problem">
      <p>
        {host}, where the files go, does not respond. An extension of the browser or a firewall may block it, or it does
        not accept uploads from this page.
      </p>
      <Button onClick={() => dispatchEvent(new Event("online"))}>Try again now</Button>
    </Notice>
  );
}

export function SendingProgress({ state: { bytes, totalBytes, bytesPerSecond, isOffline } }: { state: SendingState }) {
  const isSent = bytes >= totalBytes;
  const speed = bytesPerSecond !== undefined && !isSent && !isOffline;
  const label = isSent ? "Making it ready…" : "Uploading…";
  return (
    <Progress
      label={isOffline ? "The connection is lost. It goes on when the connection is back." : label}
      value={bytes}
      of={totalBytes}
      detail={[
        `${bytesInWords(bytes)} of ${bytesInWords(totalBytes)}`,
        ...(speed
          ? [
              `${bytesInWords(bytesPerSecond)}/s`,
              `${durationInWords(secondsLeft({ bytes, totalBytes, bytesPerSecond }))} left`,
            ]
          : []),
      ].join(" · ")}
    />
  );
}

interface ProgressProps {
  readonly label: string;
  readonly value: number;
  readonly of: number;
  readonly detail: string | undefined;
}

/** A screen reader hears the label, which changes seldom, and can ask the bar how far it is. */
function Progress({ label, value, of, detail }: ProgressProps) {
  return (
    <div class="progress">
      <p role="status">{label}</p>
      <progress aria-label={label} max={Math.max(of, 1)} value={value} />
      <p class="hint">{detail}</p>
    </div>
  );
}

interface DoneProps {
  readonly title: string;
  /** Name of the game, for those with whom it is shared. */
  readonly name: string;
  readonly prepared: Pick<PreparedFolder, "settings" | "picture">;
  readonly url: string | null;
  readonly action: string;
  readonly hint: string;
  readonly children: preact.ComponentChildren;
}

/** Result that is reached. The focus goes there, because the button that began it is gone. */
export function Done({ title, name, prepared: { settings, picture }, url, action, hint, children }: DoneProps) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <>
      <div class="pictured review-picture">
        {url && picture && <GamePicture project={{ name, picture_url: fileUrl(url, picture) }} size="review" />}
        <div class="row-main">
          <p ref={text} tabIndex={-1} class="done-title" role="status">
            {title}
          </p>
          <p class="hint">{hint}</p>
        </div>
      </div>
      {url && <Share {...{ url, name, settings }} />}
      <div class="actions">
        {children}
        {url && (
          <a class="button primary" href={url} target="_blank" rel="noreferrer">
            {action}
          </a>
        )}
      </div>
    </>
  );
}
