import type { Configuration } from "./configuration.ts";
import { withValues } from "./help-values.ts";

/*
 * The script of a page of help. Without it, or without the configuration, the page has the values of the documents. It shares no module
 * with the dashboard's first view, which would load one file more.
 */
const configuration = (await (await fetch("/configuration.json")).json()) as Configuration;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
  node.nodeValue = withValues(node.nodeValue ?? "", configuration, location.origin);
