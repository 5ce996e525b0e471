export type { Project } from "../table/projects.ts";
