import type { OptionViews } from "../../../dashboard/src/option.ts";
import { webhookSettings } from "./webhooks.tsx";

export const notices: OptionViews = { name: "notices", Settings: webhookSettings };
