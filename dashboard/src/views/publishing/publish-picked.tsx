import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Beginning, freshBeginning, readBeginning } from "../../../../publisher/beginning.ts";
import type { Choices } from "../../../../publisher/settings.ts";
import type { Amount, OpenedRelease } from "../../../../publisher/upload-release.ts";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords } from "../../format.ts";
import { messageOf } from "../../messages.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { withOffer } from "../../publish/offers.ts";
import { Pace } from "../../publish/pace.ts";
import { compared, goLive, type UploadedRelease, upload } from "../../publish/publication.ts";
import { announceReleases, type Publishing } from "../../publish/publishing.ts";
import { Reader } from "../../publish/reader.ts";
import { type Offer, Refusal } from "../../publish/refusal.ts";
import { rememberChoices, rememberedChoices } from "../../publish/remembered.ts";
import type { Waiting } from "../../publish/waiting.ts";
import { navigate } from "../../router.ts";
import { ReviewPublication } from "./review-publication.tsx";
import { type ComparedReview, Done, ReadingStep, type Review, SendingStep, type Step } from "./steps.tsx";
import { UploadBar } from "./upload-bar.tsx";

/**
 * Reads what a person picked, shows what it would change, then uploads it and makes it live or opens a preview: in a dialog, or as
 * a bar below every view, while the person does something else.
 */
export function PublishPicked({ id: publishing, project, picked }: Publishing) {
  const { api, adopt, finish, drop } = useDashboard();
  /** Undefined until the project of a new game is made. */
  const target = useRef(project);
  const [step, setStep] = useState<Step>({ kind: "reading" });
  const [problem, setProblem] = useState<Refusal>();
  const [message, setMessage] = useState("");
  const [isBar, setBar] = useState(false);
  const [rereadings, setRereadings] = useState(0);
  const beginning = useRef<Beginning>(freshBeginning);
  /** As of the last click, which may not be read yet. */
  const chosen = useRef<Partial<Choices>>({});
  const choices = (): Choices => ({ ...beginning.current.choices, ...chosen.current });
  const stop = useMemo(() => new AbortController(), []);
  const pace = useMemo(() => new Pace(), []);
  const waiting: Waiting = {
    signal: stop.signal,
    onOffline: (isOffline, host) =>
      setStep((now) => (now.kind === "sending" && now.isOffline !== isOffline ? { ...now, isOffline, host } : now)),
  };
  const guarded = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      if (!stop.signal.aborted) setProblem(refusalOf(error));
    }
  };
  const reader = useMemo(() => new Reader(), []);
  const read = () =>
    guarded(async () => {
      setStep({ kind: "review", reviewed: await review() });
    });
  const review = async (): Promise<Review> => {
    const slug = target.current?.slug;
    const preparation = { slug, choices: choices(), beginning: beginning.current };
    const prepared = await reader.prepare(picked, preparation, (reading) =>
      setStep((now) => (now.kind === "reading" ? { kind: "reading", reading } : now)),
    );
    const bytesOf = (sha256: string) => reader.bytes(sha256);
    const knownOf = (opened: OpenedRelease) => reader.known(opened);
    const publication = { api, slug: slug ?? "", prepared, bytesOf, knownOf };
    return { publication, opened: slug === undefined ? undefined : await compared(publication) };
  };
  const choose = async (choice: Partial<Choices>) => {
    chosen.current = { ...chosen.current, ...choice };
    setRereadings((count) => count + 1);
    await read();
    setRereadings((count) => count - 1);
  };
  const accept = (offer: Offer) => {
    chosen.current = { ...chosen.current, ...offer.choices, leftOut: withOffer(choices(), offer).leftOut };
    void read();
  };
  useEffect(() => {
    void guarded(async () => {
      if (project) {
        beginning.current = await readBeginning(api, project.slug);
        chosen.current = rememberedChoices(project.slug, beginning.current.current);
      }
      await read();
    });
    return () => {
      stop.abort();
      reader.close();
    };
  }, []);
  useWarningBeforeLeaving(step.kind === "sending");
  useBarAfterNavigation(() => setBar(true));
  const close = () => {
    drop(publishing);
    if (target.current) announceReleases(target.current.slug);
  };
  const create = async (body: { name: string; slug: string }) => {
    target.current = await api.call("POST /projects", { creates: true, body });
    adopt(publishing, target.current);
    navigate(`/projects/${body.slug}`);
  };

  /**
   * The live release may be another one after a failure, with other settings: the person sees the difference to it before they decide
   * again.
   */
  const orReview = ({ publication, opened }: Review, work: () => Promise<void>) =>
    guarded(async () => {
      try {
        await work();
      } catch (error) {
        stop.signal.throwIfAborted();
        const again = async () => {
          beginning.current = await readBeginning(api, publication.slug);
          return await review();
        };
        setStep({ kind: "review", reviewed: await again().catch(() => ({ publication, opened })) });
        throw error;
      }
    });
  /** A new game has its project by now, with which it is compared as every other one. */
  const send = (
    { publication: { slug: _, ...rest }, opened: shown }: Review,
    goal: "live" | "preview",
    message: string,
  ) =>
    guarded(async () => {
      const publication = { ...rest, slug: target.current?.slug ?? "" };
      await sendReviewed({ publication, opened: shown ?? (await compared(publication)) }, goal, message);
    });
  const sendReviewed = (reviewed: ComparedReview, goal: "live" | "preview", message: string) =>
    orReview(reviewed, async () => {
      const { slug } = reviewed.publication;
      rememberChoices(slug, beginning.current.current, chosen.current);
      const sending = {
        kind: "sending",
        bytes: 0,
        totalBytes: reviewed.opened.amount.sent,
        isOffline: false,
      } as const;
      setStep(sending);
      const onSent = (sent: { bytes: number; totalBytes: number }) => {
        pace.add(sent.bytes, performance.now());
        const bytesPerSecond = pace.bytesPerSecond();
        setStep((now) => ({ ...(now.kind === "sending" ? now : sending), ...sent, bytesPerSecond }));
      };
      const destination = goal === "live" ? { expectCurrent: reviewed.opened.current_release } : { preview: {} };
      const uploaded = await upload(reviewed.publication, { message, destination, onSent, ...waiting });
      if (goal === "live") return showLive(reviewed, uploaded);
      const { release, playUrl } = uploaded.activation;
      setStep({ kind: "preview", url: playUrl, reviewed, id: release.id, amount: uploaded.amount });
      announceReleases(slug);
    });
  const showLive = (reviewed: ComparedReview, { activation, amount }: UploadedRelease) => {
    const { release, playUrl, edge } = activation;
    setStep({ kind: "live", url: playUrl, reviewed, id: release.id, amount });
    finish(publishing);
    announceReleases(reviewed.publication.slug, edge);
  };
  const makeLive = async (reviewed: ComparedReview, { id, amount }: { id: string; amount: Amount }) => {
    const { publication, opened } = reviewed;
    showLive(reviewed, { amount, activation: await goLive(publication, id, opened.current_release, waiting) });
  };
  const name = project?.name ?? (picked.name || "A new game");
  if (isBar)
    return <UploadBar name={name} step={step} problem={problem} onShow={() => setBar(false)} onClose={close} />;
  return (
    <Dialog
      title={project ? `Publish ${name}` : "Publish a new game"}
      onClose={step.kind === "sending" ? () => setBar(true) : close}
    >
      <div class="grid">
        <Problems of={problem} onOffer={accept} />
        {step.kind === "reading" && <ReadingStep state={step} isOver={problem !== undefined} onClose={close} />}
        {step.kind === "review" && (
          <ReviewPublication
            name={name}
            picked={picked}
            publication={step.reviewed.publication}
            opened={step.reviewed.opened}
            isChanging={rereadings > 0}
            choices={choices()}
            onChoice={choose}
            onCreate={project ? undefined : create}
            message={message}
            onMessage={setMessage}
            onPublish={(goal) => send(step.reviewed, goal, message)}
            onClose={close}
          />
        )}
        {step.kind === "sending" && <SendingStep state={step} onHide={() => setBar(true)} onCancel={close} />}
        {step.kind === "live" && (
          <Done
            title="It is live."
            name={name}
            prepared={step.reviewed.publication.prepared}
            url={step.url}
            action="Play"
            hint={`Players get it with their next visit.${sentInWords(step.amount)}`}
          >
            <Button onClick={close}>Close</Button>
          </Done>
        )}
        {step.kind === "preview" && (
          <Done
            title="The preview is open."
            name={`Preview of ${name}`}
            prepared={step.reviewed.publication.prepared}
            url={step.url}
            action="Look at it"
            hint={`Whoever has its URL can play it, for 7 days. What is live stays.${sentInWords(step.amount)}`}
          >
            <Button onClick={close}>Close</Button>
            <Button onClick={() => orReview(step.reviewed, () => makeLive(step.reviewed, step))}>Make live</Button>
          </Done>
        )}
      </div>
    </Dialog>
  );
}

/** Text about what was sent, in the command line's words. */
function sentInWords({ sent, known }: Amount): string {
  return known > 0 ? ` Sent ${bytesInWords(sent)} of ${bytesInWords(sent + known)}; the rest is on the server.` : "";
}

/** Back, or a swipe, closes no dialog by itself: what is under way goes on as a bar. */
function useBarAfterNavigation(onNavigated: () => void): void {
  useEffect(() => {
    addEventListener("popstate", onNavigated);
    return () => removeEventListener("popstate", onNavigated);
  }, []);
}

function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(messageOf(error));
}

const placesShown = 20;

interface ProblemsProps {
  readonly of: Refusal | undefined;
  readonly onOffer: (offer: Offer) => void;
}

function Problems({ of, onOffer }: ProblemsProps) {
  const wayOn = useRef<HTMLDivElement>(null);
  useEffect(() => wayOn.current?.querySelector("button")?.focus(), [of]);
  if (of === undefined) return null;
  const { offer } = of;
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
      {offer && (
        <div ref={wayOn}>
          <Button onClick={() => onOffer(offer)}>{offer.label}</Button>
        </div>
      )}
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
