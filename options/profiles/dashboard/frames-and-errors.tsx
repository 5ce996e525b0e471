import { useState } from "preact/hooks";
import { counted, number } from "../../../dashboard/src/format.ts";
import { Button } from "../../../dashboard/src/parts/button.tsx";
import { nothing, Table } from "../../../dashboard/src/parts/table.tsx";
import { type Analysis, type LongFrame, longFramesNamed, scriptName, scriptOf } from "./analysis.ts";

const seconds = (milliseconds: number) => `${number(milliseconds / 1_000, 1)}\u00a0s`;
const milliseconds = (value: number) => `${number(value, 1)}\u00a0ms`;

/** Hitches that are shown before somebody asks for all. */
const firstHitches = 5;

/** The longest frames with the script that took most of each. */
export function LongFrames({ analysis: { longFrames, device, summary } }: { analysis: Analysis }) {
  const [isWhole, setWhole] = useState(false);
  if (summary === undefined || longFrames.length === 0) return null;
  const shown = isWhole ? longFrames : longFrames.slice(0, firstHitches);
  return (
    <section class="card">
      <div class="titled">
        <h2>Hitches</h2>
        {longFrames.length > firstHitches && (
          <Button kind="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `The ${firstHitches} longest` : `All ${counted(summary.hitches, "hitch", "hitches")}`}
          </Button>
        )}
      </div>
      {device?.lacks.includes("long_frame") && (
        <p class="hint">This browser does not say which script took them; Chromium does.</p>
      )}
      <Table
        label="Hitches"
        columns={["At", "Took", "Script", "In the script"]}
        rows={shown.map((frame) => [
          ...[seconds(frame.at), milliseconds(frame.duration)],
          scriptOf(frame) ? <ScriptOf key="" of={frame} /> : nothing,
          scriptTime(frame),
        ])}
      />
      {isWhole && summary.hitches > longFrames.length && <p class="hint">The {number(longFramesNamed)} longest.</p>}
    </section>
  );
}

function scriptTime(frame: LongFrame): string {
  const script = scriptOf(frame);
  return script === undefined ? nothing : milliseconds(script.duration);
}

function ScriptOf({ of: frame }: { of: LongFrame }) {
  const script = scriptOf(frame);
  if (script === undefined) return null;
  return (
    <>
      <bdi>
        <code>{scriptName(script)}</code>
      </bdi>{" "}
      <bdi class="hint">{script.source}</bdi>
    </>
  );
}

/** The slowest inputs. */
export function SlowInputs({ analysis: { slowInputs } }: { analysis: Analysis }) {
  if (slowInputs.length === 0) return null;
  return (
    <section class="card">
      <h2>Slow inputs</h2>
      <Table
        label="Slow inputs"
        columns={["Event", "At", "Before the game’s code", "Until the next frame"]}
        rows={slowInputs.map(({ name, at, delay, duration }) => [
          <bdi key="">{name}</bdi>,
          ...[seconds(at), milliseconds(delay), milliseconds(duration)],
        ])}
      />
    </section>
  );
}

const errorsShown = 50;

/** Errors that the game did not catch. */
export function Errors({ errors }: { errors: Analysis["errors"] }) {
  if (errors.length === 0) return null;
  return (
    <section class="card">
      <h2>Errors</h2>
      <Table
        label="Errors"
        columns={["Message", "Where", "Times"]}
        rows={errors
          .slice(0, errorsShown)
          .map(({ error: { message, source, line }, count }) => [
            <bdi key="">{message}</bdi>,
            source ? <bdi key="">{`${source}:${line}`}</bdi> : nothing,
            number(count),
          ])}
      />
      {errors.length > errorsShown && <p class="hint">And {number(errors.length - errorsShown)} other ones.</p>}
    </section>
  );
}
