import type { OptionViews } from "../../../dashboard/src/option.ts";
import { Webhooks } from "./webhooks.tsx";

export const notices: OptionViews = { name: "notices", Settings: Webhooks };
