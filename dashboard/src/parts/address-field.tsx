import { useDashboard } from "../dashboard.ts";
import { TextField } from "./field.tsx";

interface AddressFieldProps {
  readonly value: string;
  readonly onValue: (slug: string) => void;
  readonly error: string | undefined;
}

/** The address (slug) of a project that does not exist yet. */
export function AddressField({ value, onValue, error }: AddressFieldProps) {
  const { games } = useDashboard().configuration;
  return (
    <TextField
      label="Address"
      hint={
        <>
          {games && (
            <>
              Players find it at <b class="url">{games.replace("{slug}", value || "…")}</b>{" "}
            </>
          )}
          Small letters, digits and hyphens. It cannot be changed later.
        </>
      }
      value={value}
      onValue={(text) => onValue(text.toLowerCase().replace(/[\s_]+/g, "-"))}
      spellcheck={false}
      autocapitalize="none"
      required
      error={error}
    />
  );
}

/** The slug that a name suggests: its letters and digits, of accented letters the letters alone. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 40)
    .replace(/-$/, "");
}
