import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { isReservedSlug, slugPattern } from "../../../contract/api/projects/slug.ts";
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
  const isTaken = useIsTaken(value);
  // An error is of the address that was sent, not of one that is written afterwards.
  const [refused, setRefused] = useState<string>();
  useLayoutEffect(() => setRefused(error === undefined ? undefined : value), [error]);
  const shown = value === refused ? error : undefined;
  return (
    <TextField
      label="Address"
      hint={
        <>
          {games && (
            <>
              Players find it at <b>{games.replace("{slug}", value || "…")}</b>{" "}
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
      error={shown ?? (isTaken ? "This address is taken. Choose another one." : undefined)}
    />
  );
}

const typingMilliseconds = 400;
const takenDown = 410;

/** Whether the address is another project's, as far as anybody may know before it is sent: what was deleted stays closed a while. */
function useIsTaken(slug: string): boolean {
  const { api } = useDashboard().configuration;
  const [taken, setTaken] = useState<string>();
  useEffect(() => {
    if (!slugPattern.test(slug) || isReservedSlug(slug)) return;
    const look = async () => {
      // Without the session: if it has expired, nobody is asked to sign in again while they type.
      const response = await fetch(`${api}/projects/${slug}`).catch(() => undefined);
      // Whatever else it is, creating the project says it.
      if (response?.ok || response?.status === takenDown) setTaken(slug);
    };
    const timer = setTimeout(look, typingMilliseconds);
    return () => clearTimeout(timer);
  }, [slug]);
  return taken === slug;
}
