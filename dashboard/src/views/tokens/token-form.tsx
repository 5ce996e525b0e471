import { useState } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { FormActions } from "../../parts/button.tsx";
import { Choice, FieldError, Segments, TextField } from "../../parts/field.tsx";
import { type Submission, useSubmission } from "../../parts/form.ts";
import { NameField } from "../../parts/name-field.tsx";
import { Problem } from "../../parts/notice.tsx";
import type { CreatedToken, Scope, TokenSettings } from "../../resources.ts";
import { ProjectPicker } from "./project-picker.tsx";

/** Permissions that each scope gives to a token, in plain words. Each scope contains those above it. */
export const scopesInWords: Record<Scope, { readonly title: string; readonly detail: string }> = {
  preview: { title: "Open previews", detail: "Upload files and show them at a URL of their own. What is live stays." },
  publish: { title: "Publish releases", detail: "Also make releases live, and take them offline, in your projects." },
  projects: { title: "Create and edit projects", detail: "Also take new names and change names and descriptions." },
};

/** Settings of a token, as a form sends them. */
export function settingsBody({ name, scopes, projects, days }: TokenSettings) {
  return { name, scopes: [...scopes], projects: projects && [...projects], expires_in_days: Number(days) };
}

/** The lifetimes that are offered, in days, beside another number. */
const offeredDays = [1, 7, 30, 90];

/** The longest lifetime of a new token on this stage, in days. */
export function useMaxDays(): number {
  return useDashboard().configuration.maxTokenDays ?? limits.tokenLifetimeDays;
}

interface TokenFieldsProps {
  readonly settings: TokenSettings;
  readonly onChange: (settings: TokenSettings) => void;
  readonly submission: Submission;
  readonly autoFocus?: true;
}

/** Name and scopes of a token. */
export function NameAndScopes({ settings, onChange, submission, ...rest }: TokenFieldsProps) {
  const change = (part: Partial<TokenSettings>) => onChange({ ...settings, ...part });
  const scopes = Object.keys(scopesInWords) as Scope[];
  const most = scopes.findLast((scope) => settings.scopes.includes(scope));
  return (
    <>
      <NameField
        hint="Where it will be used, such as “laptop” or “CI of my-game”."
        value={settings.name}
        onValue={(name) => change({ name })}
        {...rest}
        submission={submission}
      />
      <fieldset>
        <legend>It can</legend>
        {scopes.map((scope) => (
          <Choice
            key={scope}
            type="radio"
            name="scopes"
            label={scopesInWords[scope].title}
            hint={scopesInWords[scope].detail}
            checked={scope === most}
            onChecked={() => change({ scopes: [scope] })}
          />
        ))}
        <FieldError of={submission.fieldError("/scopes")} />
      </fieldset>
    </>
  );
}

/** Projects and expiry of a token: the same for a new token and for the approval of a command line. */
export function ReachAndLifetime({ settings, onChange, submission }: TokenFieldsProps) {
  const change = (part: Partial<TokenSettings>) => onChange({ ...settings, ...part });
  const maxDays = useMaxDays();
  const days = offeredDays.filter((offered) => offered < maxDays).concat(maxDays <= 90 ? maxDays : []);
  const isOffered = days.map(String).includes(settings.days);
  return (
    <>
      <ProjectPicker
        projects={settings.projects}
        onChange={(projects) => change({ projects })}
        submission={submission}
      />
      <Segments
        legend="It expires after"
        name="days"
        choices={[...days.map((number) => [String(number), counted(number, "day")] as const), ["", "Other"]]}
        chosen={isOffered ? settings.days : ""}
        onChosen={(chosen) => change({ days: chosen })}
      >
        {!isOffered && (
          <TextField
            label="Days"
            hint={`1 to ${maxDays}`}
            inputMode="numeric"
            required
            value={settings.days}
            onValue={(typed) => change({ days: typed })}
            error={submission.fieldError("/expires_in_days")}
          />
        )}
      </Segments>
    </>
  );
}

interface TokenFormProps {
  readonly onCreated: (token: CreatedToken) => void;
  readonly onCancel: () => void;
}

export function TokenForm({ onCreated, onCancel }: TokenFormProps) {
  const { api } = useDashboard();
  const days = String(Math.min(limits.defaultTokenLifetimeDays, useMaxDays()));
  const [settings, setSettings] = useState<TokenSettings>({ name: "", scopes: ["publish"], projects: null, days });
  const submission = useSubmission();
  const create = submission.onSubmit(async () => {
    const body = settingsBody(settings);
    onCreated(await api.call("POST /tokens", { creates: true, body }));
  });
  return (
    <form onSubmit={create}>
      <Problem of={submission} />
      <NameAndScopes settings={settings} onChange={setSettings} submission={submission} />
      <ReachAndLifetime settings={settings} onChange={setSettings} submission={submission} />
      <FormActions submit="Create token" doing="Creating the token…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
