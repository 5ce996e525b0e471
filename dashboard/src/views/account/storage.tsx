import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted, number } from "../../format.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";

/** Storage that all projects of the account use, and its limit. */
export function Storage() {
  const { api } = useDashboard();
  const me = useLoaded(() => api.call("GET /me"), []);
  const storage = me.value?.storage;
  return (
    <div class="row-main">
      <h3>What your projects store</h3>
      {storage && (
        <p class="hint">
          {bytesInWords(storage.bytes)} of {bytesInWords(storage.limit.bytes)}, {number(storage.objects)} of{" "}
          {counted(storage.limit.objects, "file")}. Files that no release needs any more are deleted within a day or
          two.
        </p>
      )}
      <Problem of={me} />
    </div>
  );
}
