import { sweepProjects } from "../../../../functions/domain/sweep/projects.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/** A run through all projects, as many milliseconds from now as the argument says. */
console.log(JSON.stringify(await sweepProjects(sweepOf({ later: Number(process.argv[2]) }))));
