import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/** Sweeps the project of the first argument, as many milliseconds from now as the second says, and keeps one release. */
const [slug = "", later = "0"] = process.argv.slice(2);
const swept = await sweepProject(slug, sweepOf({ later: Number(later) }));
console.log(JSON.stringify(swept));
