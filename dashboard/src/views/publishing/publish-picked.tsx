import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { messageOf } from "../../messages.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Reading, Selection } from "../../publish/protocol.ts";
import { compared, goLive, openPreview, type Publication, upload } from "../../publish/publication.ts";
import { Reader } from "../../publish/reader.ts";
import { Refusal } from "../../publish/refusal.ts";
import type { Edge, OpenedRelease, Project } from "../../resources.ts";
import { Share } from "../share.tsx";
import { ReviewPublication } from "./review-publication.tsx";

/** A publication, and what it would change, as the person saw it. */
interface Review {
  readonly publication: Publication;
  readonly opened: OpenedRelease;
}

type Step =
  | { readonly kind: "reading"; readonly reading?: Reading }
  | { readonly kind: "review"; readonly reviewed: Review }
  | { readonly kind: "sending"; readonly bytes: number; readonly totalBytes: number }
  | { readonly kind: "live"; readonly url: string | null }
  | { readonly kind: "preview"; readonly url: string | null; readonly id: string; readonly reviewed: Review };

interface PublishPickedProps {
  readonly project: Project;
  readonly picked: Selection;
  /** Whether leaving would stop an upload. */
  readonly onBusy: (busy: boolean) => void;
  readonly onLive: (edge: Edge) => Promise<void>;
  readonly onClose: () => void;
}

/** Reads what a person picked, shows what it would change, then uploads it and makes it live or opens a preview. */
export function PublishPicked({ project, picked, onBusy, onLive, onClose }: PublishPickedProps) {
  const { api } = useDashboard();
  const { slug } = project;
  const [step, setStep] = useState<Step>({ kind: "reading" });
  const [problem, setProblem] = useState<Refusal>();
  const stop = useMemo(() => new AbortController(), []);
  const guarded = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      if (!stop.signal.aborted) setProblem(refusalOf(error));
    }
  };
  useEffect(() => {
    const reader = new Reader();
    void guarded(async () => {
      const prepared = await reader.prepare(picked, slug, (reading) => setStep({ kind: "reading", reading }));
      const publication = { api, slug, prepared, bytesOf: (sha256: string) => reader.bytes(sha256) };
      setStep({ kind: "review", reviewed: { publication, opened: await compared(publication) } });
    });
    return () => {
      stop.abort();
      reader.close();
    };
  }, []);
  useEffect(() => onBusy(step.kind === "sending"), [step.kind]);
  useWarningBeforeLeaving(step.kind === "sending");

  /** What is live may be another release after a failure: the person sees the difference to that before they decide again. */
  const orReview = ({ publication, opened }: Review, work: () => Promise<void>) =>
    guarded(async () => {
      try {
        await work();
      } catch (error) {
        stop.signal.throwIfAborted();
        const now = await compared(publication).catch(() => opened);
        setStep({ kind: "review", reviewed: { publication, opened: now } });
        throw error;
      }
    });
  const send = (reviewed: Review, goal: "live" | "preview", message: string) =>
    orReview(reviewed, async () => {
      const onSent = (sent: { bytes: number; totalBytes: number }) => setStep({ kind: "sending", ...sent });
      const id = await upload(reviewed.publication, { message, signal: stop.signal, onSent });
      if (goal === "live") return await makeLive(reviewed, id);
      const { preview } = await openPreview(reviewed.publication, id);
      setStep({ kind: "preview", url: preview.url, id, reviewed });
    });
  const makeLive = async ({ publication, opened }: Review, id: string) => {
    const { release, edge } = await goLive(publication, id, opened.current_release);
    setStep({ kind: "live", url: release.play_url });
    await onLive(edge);
  };
  return (
    <div class="publication">
      <Problems of={problem} />
      {step.kind === "reading" && <ReadingStep step={step} isOver={problem !== undefined} onClose={onClose} />}
      {step.kind === "review" && (
        <ReviewPublication
          picked={picked}
          prepared={step.reviewed.publication.prepared}
          opened={step.reviewed.opened}
          onPublish={(goal, message) => send(step.reviewed, goal, message)}
          onClose={onClose}
        />
      )}
      {step.kind === "sending" && <SendingStep {...step} onCancel={onClose} />}
      {step.kind === "live" && (
        <Done
          title="It is live."
          name={project.name}
          url={step.url}
          action="Play"
          hint="Players get it with their next visit."
        >
          <Button onClick={onClose}>Close</Button>
        </Done>
      )}
      {step.kind === "preview" && (
        <Done
          title="The preview is open."
          name={`Preview of ${project.name}`}
          url={step.url}
          action="Look at it"
          hint="Whoever has its URL can play it, for 7 days. What is live stays."
        >
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" onClick={() => orReview(step.reviewed, () => makeLive(step.reviewed, step.id))}>
            Make live
          </Button>
        </Done>
      )}
    </div>
  );
}

function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(messageOf(error));
}

const placesShown = 20;

function Problems({ of }: { of: Refusal | undefined }) {
  if (of === undefined) return null;
  return (
    <Notice kind="problem">
      <p>{of.message}</p>
      {of.places.length > 0 && (
        <ul>
          {of.places.slice(0, placesShown).map((place) => (
            <li key={place}>{place}</li>
          ))}
        </ul>
      )}
      {of.places.length > placesShown && <p>and {of.places.length - placesShown} more</p>}
    </Notice>
  );
}

/** The browser asks before it leaves the page. */
function useWarningBeforeLeaving(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isBusy]);
}

interface ReadingStepProps {
  readonly step: Extract<Step, { kind: "reading" }>;
  /** A problem stopped it. */
  readonly isOver: boolean;
  readonly onClose: () => void;
}

function ReadingStep({ step: { reading }, isOver, onClose }: ReadingStepProps) {
  return (
    <>
      {!isOver && (
        <Progress
          label={reading?.step === "compressing" ? "Compressing what players load…" : "Reading the files…"}
          value={reading?.bytes ?? 0}
          of={reading?.totalBytes ?? 0}
          detail={reading && `${counted(reading.totalFiles, "file")}, ${bytesInWords(reading.totalBytes)}`}
        />
      )}
      <div class="actions">
        <Button onClick={onClose}>{isOver ? "Close" : "Cancel"}</Button>
      </div>
    </>
  );
}

function SendingStep({ bytes, totalBytes, onCancel }: { bytes: number; totalBytes: number; onCancel: () => void }) {
  const isSent = bytes >= totalBytes;
  return (
    <>
      <Progress
        label={isSent ? "Making it ready…" : "Uploading…"}
        value={bytes}
        of={totalBytes}
        detail={`${bytesInWords(bytes)} of ${bytesInWords(totalBytes)}`}
      />
      <p class="hint">Keep this page open. If it is closed, choose the same files again: what is sent is kept.</p>
      <div class="actions">
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </>
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
  /** Of the game, for those whom it is shared with. */
  readonly name: string;
  readonly url: string | null;
  readonly action: string;
  readonly hint: string;
  readonly children: preact.ComponentChildren;
}

/** What is reached. The focus goes there, because the button that began it is gone. */
function Done({ title, name, url, action, hint, children }: DoneProps) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <>
      <p ref={text} tabIndex={-1} class="done-title" role="status">
        {title}
      </p>
      <p class="hint">{hint}</p>
      {url && <Share url={url} name={name} />}
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
