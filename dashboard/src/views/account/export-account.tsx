import { useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import type { Api } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { saveJson } from "../../parts/save.ts";

type Page = ResponseBody<"exportMe">;

/** Reads all that is stored about the person, page by page, and saves it as one JSON file. */
export function ExportAccount() {
  const { api } = useDashboard();
  const [count, setCount] = useState<number>();
  const submission = useSubmission();
  const download = () =>
    submission.run(async () => {
      setCount(0);
      saveJson(await readAll(api, setCount), "svc-account.json");
    });
  return (
    <>
      <div class="row-main">
        <h3>Download your data</h3>
        <p class="hint">
          All that is stored about you: profile, tokens without their secrets, projects, releases, history.
        </p>
        {count !== undefined && !submission.problem && (
          <p class="hint" role="status">
            {counted(count, "record")} {submission.busy ? "so far" : "saved"}
          </p>
        )}
        <Problem of={submission} />
      </div>
      <div class="row-side">
        <Button busy={submission.busy} doing="Collecting…" onClick={download}>
          Download
        </Button>
      </div>
    </>
  );
}

async function readAll(api: Api, onCount: (count: number) => void): Promise<Omit<Page, "next_cursor">> {
  const records: Page["records"][number][] = [];
  let cursor: string | undefined;
  for (;;) {
    const page: Page = await api.call("GET /me/export", { query: { cursor } });
    records.push(...page.records);
    onCount(records.length);
    const { next_cursor: next, ...whole } = page;
    if (next === null) return { ...whole, records };
    cursor = next;
  }
}
