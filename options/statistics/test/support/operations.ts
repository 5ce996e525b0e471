export const statisticsOperations = {
  getStatistics: async ({ slug }: { readonly slug: string }) => ({
    method: "GET",
    path: `/projects/${slug}/statistics`,
  }),
};

export const statisticsRoutes = { needPublish: ["getStatistics"], ofPublishers: ["getStatistics"] } as const;
