import { addToContract, type ContractOption } from "../contract/api/routes.ts";
import { webhookContract } from "../options/notices/contract/webhooks.ts";
import { profileContract } from "../options/profiles/contract/telemetry.ts";
import { reportsContract } from "../options/reports/contract/reports.ts";
import { savesContract } from "../options/saves/contract/saves-links.ts";
import { statisticsContract } from "../options/statistics/contract/statistics.ts";

/** The options in the contract. */
const options: readonly ContractOption[] = [
  // A line each.
  statisticsContract,
  profileContract,
  reportsContract,
  savesContract,
  webhookContract,
];

addToContract(options);
