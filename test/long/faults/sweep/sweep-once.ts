import { sweepProject } from "../../../../functions/domain/sweep-project.ts";

/** Sweeps the project of the first argument, as many milliseconds from now as the second says, and keeps one release. */
const [slug = "", later = "0"] = process.argv.slice(2);
const now = () => new Date(Date.now() + Number(later));
const swept = await sweepProject(slug, { retention: { releases: 1, days: 0 }, now, hasTime: () => true });
console.log(JSON.stringify(swept));
