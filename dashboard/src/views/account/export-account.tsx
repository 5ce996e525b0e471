import { useState } from "preact/hooks";
import type { Api, ResponseBody } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";

type Page = ResponseBody<"exportMe">;

/** Reads all that is stored about the person, page by page, and saves it as one JSON file. */
export function ExportAccount() {
  const { api } = useDashboard();
  const [count, setCount] = useState<number>();
  const submission = useSubmission();
  const download = () =>
    submission.run(async () => {
      setCount(0);
      save(await readAll(api, setCount));
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
    const page: Page = await api.call("exportMe", { method: "GET", path: "/me/export", query: { cursor } });
    records.push(...page.records);
    onCount(records.length);
    const { next_cursor: next, ...whole } = page;
    if (next === null) return { ...whole, records };
    cursor = next;
  }
}

/** Hands a JSON file to the browser's downloads. */
function save(data: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "svc-account.json";
  link.click();
  URL.revokeObjectURL(url);
}
