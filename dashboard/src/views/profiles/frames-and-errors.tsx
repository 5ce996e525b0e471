import { number } from "../../format.ts";
import { Table } from "../../parts/table.tsx";
import { type Analysis, type LongFrame, scriptName, scriptOf } from "./analysis.ts";

const seconds = (milliseconds: number) => `${number(milliseconds / 1_000, 1)}\u00a0s`;
const milliseconds = (value: number) => `${number(value, 1)}\u00a0ms`;

/** The longest frames with the script that took most of each. */
export function LongFrames({ analysis: { longFrames, device, summary } }: { analysis: Analysis }) {
  if (summary === undefined || longFrames.length === 0) return null;
  const isNamed = !device?.lacks.includes("long_frame");
  return (
    <section class="card">
      <h2>Hitches</h2>
      {isNamed ? (
        <Table
          label="Hitches"
          columns={["At", "Took", "Script", "In the script"]}
          rows={longFrames.map((frame) => [
            ...[seconds(frame.at), milliseconds(frame.duration)],
            <ScriptOf key="" of={frame} />,
            scriptTime(frame),
          ])}
        />
      ) : (
        <>
          <p class="hint">This browser does not say which script took them; Chromium does.</p>
          <Table
            label="Hitches"
            columns={["At", "Took"]}
            rows={longFrames.map(({ at, duration }) => [seconds(at), milliseconds(duration)])}
          />
        </>
      )}
    </section>
  );
}

function scriptTime(frame: LongFrame): string {
  const script = scriptOf(frame);
  return script === undefined ? "–" : milliseconds(script.duration);
}

function ScriptOf({ of: frame }: { of: LongFrame }) {
  const script = scriptOf(frame);
  if (script === undefined) return <>–</>;
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
            <bdi key="">{source ? `${source}:${line}` : "–"}</bdi>,
            number(count),
          ])}
      />
      {errors.length > errorsShown && <p class="hint">And {number(errors.length - errorsShown)} other ones.</p>}
    </section>
  );
}
