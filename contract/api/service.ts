import * as z from "zod/mini";
import { availability } from "./availability.ts";
import { about, defineRoute } from "./route.ts";
import { apiVersion, serviceVersion } from "./version.ts";

export const getRoot = defineRoute({
  method: "GET",
  path: "/",
  summary:
    "What this service is and where its OpenAPI document is; a browser is sent to the dashboard, if there is one",
  tag: "Service",
  credential: "none",
  responses: {
    200: z.strictObject({
      name: about("Always this.", z.literal("svc")),
      version: about("The version of the API.", z.string(), apiVersion),
      service_version: about("The version of the service, as in its CHANGELOG.", z.string(), serviceVersion),
      availability: about(
        "How far each part is: `staging`, on a staging environment; `source-preview`, in a preview of the source.",
        z.strictObject({
          accounts: about("Accounts and sessions.", z.literal(availability.accounts)),
          tokens: about("Personal access tokens.", z.literal(availability.tokens)),
          publishing: about("Projects and releases.", z.literal(availability.publishing)),
          command_line: about("svc, and how it logs in.", z.literal(availability.command_line)),
        }),
      ),
      openapi: about("The path of this API as an OpenAPI 3.1 document.", z.string(), "/openapi.json"),
      dashboard: about(
        "The URL of the dashboard; null if there is none.",
        z.nullable(z.string()),
        "https://svc.example/",
      ),
    }),
    302: null,
  },
});

export const getHealth = defineRoute({
  method: "GET",
  path: "/health",
  summary: "Whether the API responds",
  tag: "Service",
  credential: "none",
  responses: {
    200: z.strictObject({
      status: about("Always this.", z.literal("ok")),
      version: about("The version of the API.", z.string(), apiVersion),
    }),
  },
});

export const getOpenApi = defineRoute({
  method: "GET",
  path: "/openapi.json",
  summary: "This API as an OpenAPI 3.1 document",
  tag: "Service",
  credential: "none",
  responses: { 200: z.looseObject({ openapi: about("The version of OpenAPI.", z.string(), "3.1.1") }), 304: null },
});

export const getAgentGuide = defineRoute({
  method: "GET",
  path: "/llms.txt",
  summary: "How a program publishes here for somebody, as a text",
  tag: "Service",
  credential: "none",
  responses: { 200: null, 304: null },
});

export const getAgentSkill = defineRoute({
  method: "GET",
  path: "/SKILL.md",
  summary: "The same as a skill, in Markdown",
  tag: "Service",
  credential: "none",
  responses: { 200: null, 304: null },
});
