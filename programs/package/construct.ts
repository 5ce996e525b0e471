import "../stack-options.ts";

/* What the package exports: the construct, with every option. */
export { Svc, type SvcProps } from "../../infra/svc.ts";
