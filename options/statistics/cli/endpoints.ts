export const statisticsEndpoints = { getStatistics: ["GET /projects/:slug/statistics", "countries"] } as const;
